import type { Operation } from '../../platform/http/operations/operation.ts'
import { createWebhook } from './create.ts'
import { listDeliveries } from './deliveries.ts'
import { getWebhook } from './get.ts'
import { listWebhooks } from './list.ts'
import { pingWebhook } from './ping.ts'
import { redeliver } from './redeliver.ts'
import { removeWebhook } from './remove.ts'
import { updateWebhook } from './update.ts'

// a webhook of the owner tells of bugs in products that the key may not be for
export const webhookOperations: Operation[] = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  removeWebhook,
  pingWebhook,
  listDeliveries,
  redeliver,
]
