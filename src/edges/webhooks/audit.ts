import { diffFields } from '../../platform/lib/differences.ts'
import { presentPlace, type WebhookPlace } from './present.ts'

/** What the audit log and records of changes say of a webhook. */
type WebhookState = {
  readonly name: string
  readonly url: string
  readonly events: string
  readonly isEnabled: boolean
  readonly hasHeader: boolean
} & WebhookPlace

/** A webhook in the audit log, which records of a secret header only whether there is one. */
export function describeWebhook(state: WebhookState): Record<string, string | boolean> {
  return {
    name: state.name,
    url: state.url,
    event: state.events,
    ...presentPlace(state),
    enabled: state.isEnabled,
    header: state.hasHeader,
  }
}

/** The same for the audit log, without the path of the address, which holds the secrets of some receivers. */
export function describeForAudit(state: WebhookState): Record<string, string | boolean> {
  return {
    ...describeWebhook({ ...state, isProductHidden: false }),
    url: new URL(state.url).origin,
  }
}

/** The changes for the audit log, which names those of secrets without their values. */
export function diffForAudit(
  before: WebhookState,
  after: WebhookState,
  given: { readonly hasNewSecret: boolean; readonly hasNewHeader: boolean },
): Record<string, { removed: string; added: string }> {
  const { url, ...changes } = diffFields(describeForAudit(before), describeForAudit(after))
  const secrets = {
    url_path: url === undefined && before.url !== after.url,
    header_value: given.hasNewHeader && before.hasHeader,
    rotate_secret: given.hasNewSecret,
  }
  const names = Object.entries(secrets).flatMap(([name, isChanged]) => (isChanged ? [name] : []))
  return {
    ...(url === undefined ? {} : { url }),
    ...changes,
    ...Object.fromEntries(names.map((name) => [name, { removed: '', added: '1' }])),
  }
}
