import { compile } from '../db/compile.ts'
import type { Premise } from '../db/door.ts'
import { Fault } from '../faults.ts'
import type { Claim } from './authenticate.ts'
import { type Bearer, type BearerRow, bearerNamed, bearerOf, ownerOf } from './bearer.ts'
import type { Person } from './caller.ts'
import type { Credential } from './credentials.ts'
import { noteUse } from './last-use.ts'

/** A caller who is not known yet: see `presume`. */
export type Presumed = { readonly person: Person; readonly premise: Premise }

type Memory = { readonly person: Person; readonly stamp: string }

/** How many keys and tokens an isolate keeps in mind. */
const MOST = 1000

/** Of the JSON of somebody's groups: a few hundred of them. */
const LONGEST_GROUPS = 4_000

const remembered = new Map<string, Memory>()

/**
 * Whom a key or a token belonged to when this isolate saw it last, so that a call need not wait for an
 * exchange with D1 before it begins; and the premise to be borne out by the first thing that it reads:
 * that the credential may still be used, and that its owner is in every respect the one presumed, from
 * the groups to the name. It is read in the same transaction as what is read for that person. Null when
 * the isolate has not seen the credential, or it is a password. Contract "Authentication".
 */
export async function presume(
  claim: Claim,
  credential: Credential | null,
): Promise<Presumed | null> {
  const bearer = remembered.size === 0 ? null : await bearerOf(credential)
  const memory = bearer === null ? undefined : remembered.get(nameOf(bearer))
  if (bearer === null || memory === undefined) {
    return null
  }
  const { sql, params } = compile(bearerNamed(bearer).statement)
  const holds: Premise['holds'] = ([row]) => isBorneOut(claim, bearer, memory, row as BearerRow)
  return { person: memory.person, premise: { statement: { sql, params }, holds } }
}

/**
 * Keeps in mind whom a key or a token was just found to belong to; the oldest are forgotten. Who belongs
 * to thousands of groups is not kept, so that an isolate has memory for other things.
 */
export function remember(bearer: Bearer, row: BearerRow, person: Person): void {
  const name = nameOf(bearer)
  remembered.delete(name)
  if (row.groups.length > LONGEST_GROUPS) {
    return
  }
  remembered.set(name, { person, stamp: stampOf(row) })
  if (remembered.size > MOST) {
    const [oldest = ''] = remembered.keys()
    remembered.delete(oldest)
  }
}

function isBorneOut(
  claim: Claim,
  bearer: Bearer,
  memory: Memory,
  row: BearerRow | undefined,
): boolean {
  if (row !== undefined && isUsable(claim, bearer, row) && stampOf(row) === memory.stamp) {
    noteUse(claim, bearer, row)
    return true
  }
  remembered.delete(nameOf(bearer))
  return false
}

function isUsable(claim: Claim, bearer: Bearer, row: BearerRow): boolean {
  try {
    ownerOf(claim, bearer, row)
    return true
  } catch (refusal) {
    if (refusal instanceof Fault) {
      return false
    }
    throw refusal
  }
}

/** Everything of a row that makes the person. */
function stampOf({ userId, login, realName, nick, loginDeniedText, groups }: BearerRow): string {
  return JSON.stringify([userId, login, realName, nick, loginDeniedText, groups])
}

function nameOf({ kind, hash }: Bearer): string {
  return `${kind} ${hash}`
}
