import * as z from 'zod'

/** A webhook without its secrets; callers select fields. Reference: webhooks.md, "Webhook object". */
export const webhookShape = z
  .strictObject({
    id: z.int(),
    creator: z.string(),
    name: z.string(),
    url: z.string(),
    event: z.string(),
    product: z.string(),
    component: z.string(),
    enabled: z.boolean(),
    errors: z.int(),
  })
  .partial()

/** Stands for every product, or for every component. */
export const ANY = 'Any'

export type WebhookRow = {
  readonly id: number
  readonly login: string
  readonly name: string
  readonly url: string
  readonly events: string
  readonly product: string | null
  readonly component: string | null
  readonly isEnabled: boolean
  readonly errors: number
}

/** Makes the webhook object. Reference: webhooks.md, "Webhook object". */
export function presentWebhook(row: WebhookRow) {
  return {
    id: row.id,
    creator: row.login,
    name: row.name,
    url: row.url,
    event: row.events,
    product: row.product ?? ANY,
    component: row.component ?? ANY,
    enabled: row.isEnabled,
    errors: row.errors,
  }
}
