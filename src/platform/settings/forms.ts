import * as z from 'zod'
import { parseSmtpUrl } from '../lib/smtp-url.ts'

/** One address alone; which of them exist is for mail servers to say. */
const MAIL_ADDRESS = String.raw`[^\s<>@,;]+@[^\s<>@,;.]+(\.[^\s<>@,;.]+)*`

/** The forms of settings: each reads the text of a variable, and says what would be right. */

export function toggle(description: string, fallback: boolean) {
  return z.coerce
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(['on', 'off', 'true', 'false', '1', '0'], 'must be on or off'))
    .transform((value) => ['on', 'true', '1'].includes(value))
    .default(fallback)
    .describe(description)
}

export function whole(description: string, fallback: number, least: number, most: number) {
  const range = `must be a whole number from ${least} to ${most}`
  return z.coerce
    .string()
    .regex(/^\d{1,9}$/, range)
    .transform(Number)
    .refine((value) => value >= least && value <= most, range)
    .default(fallback)
    .describe(description)
}

export function perMinute(description: string, fallback: number) {
  return whole(description, fallback, 0, 100_000_000)
}

/** A text that matches a pattern; `expected` says what would be right. */
function matching(pattern: RegExp, expected: string) {
  return (description: string, fallback = '') =>
    z.coerce.string().regex(pattern, expected).default(fallback).describe(description)
}

export const anyText = matching(/^/, '')
export const word = matching(/./s, 'must not be empty')
export const header = matching(/^[A-Za-z0-9-]*$/, 'must be the name of a header')
/** The mail service takes no headers of other names. */
export const headerPrefix = matching(
  /^X-([A-Za-z0-9]+-)+$/,
  'must begin with X- and end with a hyphen',
)
export const segment = matching(/^[A-Za-z0-9._~-]+$/, 'must be one segment of a path')
export const sender = matching(
  new RegExp(`^(${MAIL_ADDRESS}|[^<>\\r\\n]*<${MAIL_ADDRESS}>)?$`),
  'must be an e-mail address, or Name <address>',
)
export const contact = matching(
  /^((https:\/\/|tel:)\S+|mailto:[^\s@]+@[^\s@]+)?$/,
  'must be an https:, mailto: or tel: address',
)
export const address = matching(
  /^(https?:\/\/[^\s?#]*[^\s?#/])?$/,
  'must be an http(s) address without a slash at the end',
)

export function smtpServer(description: string) {
  return z
    .string()
    .default('')
    .transform((url, ctx) => {
      const server = url === '' ? null : parseSmtpUrl(url)
      if (url !== '' && server === null) {
        // without the value, which may hold a password
        ctx.addIssue({
          code: 'custom',
          message:
            'must be smtp://user:password@host:port or smtps://…, where other signs than letters and digits of user and password are percent-encoded',
        })
      }
      return server
    })
    .describe(description)
}

/** What pushes set, by repository and branch; `*` is a number in the name of the branch. */
export function pushRules(description: string) {
  const field = z.string().regex(/^cf_[a-z0-9_*]+$/)
  const rule = z.strictObject({
    field: field.optional(),
    milestone: z.string().min(1).optional(),
  })
  const shape = z.record(z.string(), z.record(z.string(), rule))
  return z.coerce
    .string()
    .transform((json, ctx) => {
      const parsed = shape.safeParse(parseJson(json))
      if (parsed.success) {
        return parsed.data
      }
      const form = '{"owner/name": {"branch": {"field": "cf_…", "milestone": "…"}}}'
      ctx.addIssue({ code: 'custom', message: `must be JSON of the form ${form}` })
      return z.NEVER
    })
    .default({})
    .describe(description)
}

/** Undefined for a text that is no JSON. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
