import * as z from 'zod'
import { parseSmtpUrl } from '../lib/smtp-url.ts'

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

export function sender(description: string) {
  return z
    .string()
    .regex(/^$|^[^\s<>]+@[^\s<>]+$|<[^\s<>]+@[^\s<>]+>$/, 'must be an e-mail address')
    .default('')
    .describe(description)
}

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

export function word(description: string, fallback: string) {
  return z.coerce.string().min(1, 'must not be empty').default(fallback).describe(description)
}

export function header(description: string, fallback: string) {
  return z.coerce
    .string()
    .regex(/^[A-Za-z0-9-]*$/, 'must be the name of a header')
    .default(fallback)
    .describe(description)
}

/** The mail service takes no headers of other names. */
export function headerPrefix(description: string, fallback: string) {
  return z.coerce
    .string()
    .regex(/^X-([A-Za-z0-9]+-)+$/, 'must begin with X- and end with a hyphen')
    .default(fallback)
    .describe(description)
}

export function segment(description: string, fallback: string) {
  return z.coerce
    .string()
    .regex(/^[A-Za-z0-9._~-]+$/, 'must be one segment of a path')
    .default(fallback)
    .describe(description)
}

/**
 * What pushes set, by repository and branch; `*` is the number that stands for it in the name of the
 * branch.
 */
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

export function text(description: string, fallback: string) {
  return z.coerce.string().default(fallback).describe(description)
}

export function contact(description: string) {
  return z.coerce
    .string()
    .regex(/^((https:\/\/|mailto:|tel:)\S+)?$/, 'must be an https:, mailto: or tel: address')
    .default('')
    .describe(description)
}

export function address(description: string) {
  return z.coerce
    .string()
    .regex(
      /^(https?:\/\/[^\s?#]*[^\s?#/])?$/,
      'must be an http(s) address without a slash at the end',
    )
    .default('')
    .describe(description)
}
