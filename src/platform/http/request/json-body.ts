import { Buffer } from 'node:buffer'
import type { Context } from 'hono'
import { fault } from '../../faults/fault.ts'
import { readSettings } from '../../settings/settings.ts'
import type { AppEnv, Parameters } from './app-env.ts'
import { readWhole } from './body-chunks.ts'
import { readPieces } from './counted-body.ts'
import { badJson } from './faults.ts'
import { holdUpload, SMALL_BODY } from './upload-memory.ts'

const MAX_LEVELS = 1000

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/

/** Escapes of surrogates, both at once where they form one character, behind any escaped backslashes. */
const SURROGATE_ESCAPES =
  /(?<!\\)((?:\\\\)*)\\u[dD](?:[89abAB][0-9a-fA-F]{2}(\\u[dD][c-fC-F][0-9a-fA-F]{2})|[89a-fA-F][0-9a-fA-F]{2})/g

/** Text that may be parsed as a number beyond the range of doubles. */
const HUGE_NUMBER = /\d[eE]\+?\d|(?<!\d)\d{309}/

/** The bytes of a body. Those of a long one take part in the memory of uploads. */
export async function readJsonBody(
  c: Context<AppEnv>,
  isIdentified: boolean,
): Promise<ArrayBuffer | Uint8Array> {
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  if (length <= SMALL_BODY) {
    return readWhole(c.req.raw)
  }
  const { MAX_BODY_KB } = readSettings(c.env)
  return Buffer.concat(await readPieces(c.req.raw, MAX_BODY_KB, holdUpload(c, isIdentified)))
}

/** Parses a body as named parameters; an empty one and `null` have none. */
export function parseJsonBody(text: string): Parameters {
  const body = text.trim() === '' ? null : parseJsonText(text)
  if (body === null) {
    return {}
  }
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw fault(badJson, { reason: 'must be a JSON object' })
  }
  return body as Parameters
}

/**
 * Parses JSON. Lone surrogates, which no text in the database can keep, become U+FFFD; a number beyond the range of
 * doubles becomes null.
 */
export function parseJsonText(text: string): unknown {
  const value = parseJson(replaceLoneSurrogates(text))
  const mayNeedMore = text.length > 2 * MAX_LEVELS || HUGE_NUMBER.test(text)
  // a level takes two characters, so most texts cannot exceed the limit
  if (mayNeedMore && typeof value === 'object' && value !== null) {
    normalizeMembers(value as Parameters, 1)
  }
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fault(badJson, { reason: 'is not valid JSON' })
  }
}

/** Decoding UTF-8 gives no lone surrogates, so that only escapes can contain them. */
function replaceLoneSurrogates(json: string): string {
  return SURROGATE_ESCAPE.test(json)
    ? json.replace(SURROGATE_ESCAPES, (match, backslashes: string, second?: string) =>
        second === undefined ? `${backslashes}\ufffd` : match,
      )
    : json
}

/** Limits the levels, because code that works on deeply nested values exhausts the stack. */
function normalizeMembers(parent: Record<string, unknown>, level: number): void {
  if (level > MAX_LEVELS) {
    throw fault(badJson, { reason: 'is nested too deeply' })
  }
  for (const name in parent) {
    const member = parent[name]
    if (typeof member === 'object' && member !== null) {
      normalizeMembers(member as Record<string, unknown>, level + 1)
    } else if (member === Number.POSITIVE_INFINITY || member === Number.NEGATIVE_INFINITY) {
      parent[name] = null
    }
  }
}
