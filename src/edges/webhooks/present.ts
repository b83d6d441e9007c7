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

/** Stands for every product, or for every component. */
export const ANY = 'Any'

/** Stands for the product and the component of a product that the caller does not see any more. */
const HIDDEN = '(hidden)'

/** The place of a webhook by its names; null stands for any. */
export type WebhookPlace = {
  readonly product: string | null
  readonly component: string | null
  readonly isProductHidden: boolean
}

export type WebhookRow = {
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

/** The names of a place, as far as the caller may know them. */
export function presentPlace({ product, component, isProductHidden }: WebhookPlace) {
  const present = (name: string | null) => (name === null ? ANY : isProductHidden ? HIDDEN : name)
  return { product: present(product), component: present(component) }
}
