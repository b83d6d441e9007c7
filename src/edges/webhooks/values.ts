import * as z from 'zod'
import { requireLine, requireMaxLength } from '../../platform/faults/checks.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { takeSingle } from '../../platform/http/operations/shapes.ts'

const MAX_LENGTH = 64

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** Visible ASCII with blanks inside. */
const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/

/** Headers of the request itself, of its connection, and those that proxies trust. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'date',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
])
const RESERVED_PREFIXES = ['webhook-', 'x-hub-', 'cf-', 'proxy-', 'sec-', 'x-forwarded-']

export function parseWebhookName(text: string): string {
  return requireLine('name', text, MAX_LENGTH)
}

/** The parameter `header`, an object with `name` and `value`; null and a blank text are none. */
export function ownHeaderInput() {
  const member = z.string().nullish()
  return z
    .preprocess((given) => {
      const header = takeSingle(given)
      return header === '' ? null : header
    }, z.strictObject({ name: member, value: member }).nullish())
    .meta({
      type: ['object', 'null'],
      properties: { name: { type: 'string' }, value: { type: 'string' } },
      additionalProperties: false,
    })
}

/** Checks a header as it is given; null for none, as null or when both texts are blank. */
export function parseOwnHeader(given: z.output<ReturnType<typeof ownHeaderInput>>) {
  const name = parseMember('name', given?.name)
  const value = parseMember('value', given?.value)
  if (name === '' && value === '') {
    return null
  }
  assertHeaderName(name)
  if (!HEADER_VALUE.test(value)) {
    const reason = 'must be visible ASCII characters, with blanks only between them'
    throw invalidParameter('header.value', reason)
  }
  return { name, value }
}

function parseMember(member: 'name' | 'value', text: string | null | undefined): string {
  return requireMaxLength(`header.${member}`, (text ?? '').trim(), MAX_LENGTH)
}

function assertHeaderName(name: string): void {
  const field = 'header.name'
  if (!HEADER_NAME.test(name)) {
    throw invalidParameter(field, 'is not the name of a header')
  }
  const lower = name.toLowerCase()
  if (RESERVED_HEADERS.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    throw invalidParameter(field, 'names a header that is not free')
  }
}
