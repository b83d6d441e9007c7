import { productDenied } from '../../platform/access/faults.ts'
import { type AnyFault, defineFault, nameTaken, valueBlank } from '../../platform/faults/fault.ts'
import { productPartUnknown } from '../../tracker/components/faults.ts'

export const webhookUnknown = defineFault<{ id: number }>(
  'webhookUnknown',
  51,
  (d) => `There is no webhook with the ID ${d.id}.`,
)
export const webhookDeliveryUnknown = defineFault<{ id: number }>(
  'webhookDeliveryUnknown',
  51,
  (d) => `There is no delivery with the ID ${d.id}.`,
)
export const webhookDeliveryTooOld = defineFault<{ id: number }>(
  'webhookDeliveryTooOld',
  32000,
  (d) => `Delivery ${d.id} is too old to be sent again.`,
)
export const webhookDisabled = defineFault<{ name: string }>(
  'webhookDisabled',
  32000,
  (d) => `The webhook '${d.name}' is disabled; enable it first.`,
)
export const tooManyWebhooks = defineFault<{ most: number }>(
  'tooManyWebhooks',
  32000,
  (d) => `You may have at most ${d.most} webhooks; remove some of them first.`,
)

export const valueFaults: readonly AnyFault[] = [
  nameTaken,
  productDenied,
  productPartUnknown,
  valueBlank,
]
