import * as z from 'zod'

/** A webhook without its secrets; callers select fields. */
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
  .meta({ title: 'Webhook' })

/** Shown for every product or component. */
export const ANY = 'Any'

/** Shown for a product that the caller does not see any more, and its component. */
const HIDDEN = '(hidden)'

/** Null means any. */
export type WebhookPlace = {
  readonly product: string | null
  readonly component: string | null
  readonly isProductHidden: boolean
}

type WebhookRow = {
  readonly id: number
  readonly login: string
  readonly name: string
  readonly url: string
  readonly events: string
  readonly isEnabled: boolean
  readonly errors: number
} & WebhookPlace

export function presentWebhook(row: WebhookRow) {
  return {
    id: row.id,
    creator: row.login,
    name: row.name,
    url: row.url,
    event: row.events,
    ...presentPlace(row),
    enabled: row.isEnabled,
    errors: row.errors,
  }
}

/** The place of a webhook, without names that the caller may not know. */
export function presentPlace({ product, component, isProductHidden }: WebhookPlace) {
  const present = (name: string | null) => (name === null ? ANY : isProductHidden ? HIDDEN : name)
  return { product: present(product), component: present(component) }
}
