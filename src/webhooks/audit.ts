import { ANY } from './present.ts'

/** What the audit log and records of changes say of a webhook. */
export type WebhookState = {
  readonly name: string
  readonly url: string
  readonly events: string
  readonly product: string | null
  readonly component: string | null
  readonly isEnabled: boolean
  readonly hasHeader: boolean
}

/** The values of a webhook as records of changes show them; a header is there or not. */
export function describeWebhook(state: WebhookState): Record<string, string | boolean> {
  return {
    name: state.name,
    url: state.url,
    event: state.events,
    product: state.product ?? ANY,
    component: state.component ?? ANY,
    enabled: state.isEnabled,
    header: state.hasHeader,
  }
}

/** The same for the audit log, without the path of the address, which holds the secrets of some receivers. */
export function describeForAudit(state: WebhookState): Record<string, string | boolean> {
  return { ...describeWebhook(state), url: new URL(state.url).origin }
}
