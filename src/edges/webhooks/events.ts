import { fault, invalidParameter, parameterMissing } from '../../platform/faults/fault.ts'
import { commaList } from '../../platform/lib/text.ts'

/** The events of bugs that a webhook may hear of. */
export const WEBHOOK_EVENTS = [
  'create',
  'change',
  'attachment',
  'attachment_change',
  'comment',
] as const

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/**
 * Parses a list of events, separated by commas or as an array, into the text of the column: each once, in the order
 * of `WEBHOOK_EVENTS`.
 */
export function parseEvents(given: readonly string[]): string {
  const names = new Set(commaList(given))
  const unknown = [...names].find((name) => !WEBHOOK_EVENTS.some((event) => event === name))
  if (unknown !== undefined) {
    const reason = `may name ${WEBHOOK_EVENTS.join(', ')}, not '${unknown.slice(0, 100)}'`
    throw invalidParameter('event', reason)
  }
  if (names.size === 0) {
    throw fault(parameterMissing, { field: 'event' })
  }
  return WEBHOOK_EVENTS.filter((event) => names.has(event)).join(',')
}
