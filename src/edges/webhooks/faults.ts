import { productDenied } from '../../platform/access/faults.ts'
import { type AnyFault, defineFaults, nameTaken, valueBlank } from '../../platform/faults/fault.ts'
import { productPartUnknown } from '../../tracker/components/faults.ts'

export const {
  webhookUnknown,
  webhookDeliveryUnknown,
  webhookDeliveryTooOld,
  webhookDisabled,
  webhookLogLong,
  tooManyWebhooks,
} = defineFaults({
  webhookUnknown: [51, 'There is no webhook with the ID {id}.'],
  webhookDeliveryUnknown: [51, 'There is no delivery with the ID {id}.'],
  webhookDeliveryTooOld: [32000, 'Delivery {id} is too old to be sent again.'],
  webhookDisabled: [32000, "The webhook '{name}' is disabled; enable it first."],
  webhookLogLong: [
    32000,
    'The webhook has too many deliveries for one request: some are removed, remove it again.',
    503,
  ],
  tooManyWebhooks: [32000, 'You may have at most {most} webhooks; remove some of them first.'],
})

export const valueFaults: readonly AnyFault[] = [
  nameTaken,
  productDenied,
  productPartUnknown,
  valueBlank,
]
