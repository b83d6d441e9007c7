import { productDenied } from '../../platform/access/faults.ts'
import type { AnyFault } from '../../platform/faults/fault.ts'
import { nameTaken, offsetWithoutLimit, valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { productPartUnknown } from '../../tracker/components/faults.ts'
import { createWebhook, createWebhookInput, createWebhookOutput } from './create.ts'
import { listDeliveries, listDeliveriesInput, listDeliveriesOutput } from './deliveries.ts'
import {
  tooManyWebhooks,
  webhookDeliveryTooOld,
  webhookDeliveryUnknown,
  webhookDisabled,
  webhookUnknown,
} from './faults.ts'
import { getWebhook, getWebhookInput, getWebhookOutput } from './get.ts'
import { listWebhooks, listWebhooksInput, listWebhooksOutput } from './list.ts'
import { pingWebhook, pingWebhookInput, queuedDeliveryOutput } from './ping.ts'
import { redeliver } from './redeliver.ts'
import { removeWebhook, removeWebhookInput, removeWebhookOutput } from './remove.ts'
import { updateWebhook, updateWebhookInput, updateWebhookOutput } from './update.ts'

/** What the values of a webhook may refuse. */
const valueFaults: readonly AnyFault[] = [nameTaken, productDenied, productPartUnknown, valueBlank]

// a webhook of the owner tells of bugs in products that the key may not be for
export const webhookOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/webhooks/list',
      summary: 'List the webhooks of the caller',
      reference: 'webhooks.md#list-webhooks',
      input: listWebhooksInput,
      output: listWebhooksOutput,
      faults: [],
      login: true,
      scope: 'read-all-products',
    },
    listWebhooks,
  ),
  operation(
    {
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook, whose secret is shown this once',
      reference: 'webhooks.md#create-a-webhook',
      input: createWebhookInput,
      output: createWebhookOutput,
      faults: [...valueFaults, tooManyWebhooks],
      status: 201,
      login: true,
      scope: 'write-all-products',
    },
    createWebhook,
  ),
  operation(
    {
      method: 'GET',
      path: '/webhooks/:id',
      summary: 'Get a webhook',
      reference: 'webhooks.md#get-a-webhook',
      input: getWebhookInput,
      output: getWebhookOutput,
      faults: [webhookUnknown],
      login: true,
      scope: 'read-all-products',
    },
    getWebhook,
  ),
  operation(
    {
      method: 'PUT',
      path: '/webhooks/:id',
      summary: 'Change a webhook, or give it a new secret',
      reference: 'webhooks.md#change-a-webhook',
      input: updateWebhookInput,
      output: updateWebhookOutput,
      faults: [...valueFaults, webhookUnknown],
      login: true,
      scope: 'write-all-products',
    },
    updateWebhook,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/webhooks/:id',
      summary: 'Remove a webhook',
      reference: 'webhooks.md#remove-a-webhook',
      input: removeWebhookInput,
      output: removeWebhookOutput,
      faults: [webhookUnknown],
      login: true,
      scope: 'write-all-products',
    },
    removeWebhook,
  ),
  operation(
    {
      method: 'POST',
      path: '/webhooks/:id/test',
      summary: 'Send a ping to a webhook',
      reference: 'webhooks.md#test-a-webhook',
      input: pingWebhookInput,
      output: queuedDeliveryOutput,
      faults: [webhookUnknown],
      login: true,
      scope: 'write-all-products',
    },
    pingWebhook,
  ),
  operation(
    {
      method: 'GET',
      path: '/webhooks/:id/deliveries',
      summary: 'List what was sent to a webhook',
      reference: 'webhooks.md#list-deliveries',
      input: listDeliveriesInput,
      output: listDeliveriesOutput,
      faults: [offsetWithoutLimit, webhookUnknown],
      login: true,
      scope: 'read-all-products',
    },
    listDeliveries,
  ),
  operation(
    {
      method: 'POST',
      path: '/webhooks/deliveries/:id/redeliver',
      summary: 'Send a delivery to a webhook again',
      reference: 'webhooks.md#send-a-delivery-again',
      input: pingWebhookInput,
      output: queuedDeliveryOutput,
      faults: [webhookDeliveryTooOld, webhookDeliveryUnknown, webhookDisabled],
      login: true,
      scope: 'write-all-products',
    },
    redeliver,
  ),
]
