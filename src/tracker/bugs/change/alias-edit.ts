import * as z from 'zod'
import { fault } from '../../../platform/faults/fault.ts'
import { clearableText, names } from '../../../platform/http/operations/shapes.ts'
import { fold } from '../../../platform/lib/text.ts'
import { aliasInvalid } from '../model/faults.ts'
import { normalizeAlias, unwrapAlias } from '../model/text-rules.ts'

/** A `set` that counts has become a text ahead of this. */
const aliasEdit = z.object({ add: names(), remove: names(), set: z.unknown().optional() })

/** What an update says about the alias: the new one, null for none, or an edit as of a list. */
type AliasChange = string | null | z.output<typeof aliasEdit>

/** The parameter of an alias on updates: as on new bugs, or an edit set with `add` and `remove`. */
export function aliasChangeInput() {
  return z
    .preprocess(unwrapAlias, z.union([clearableText(), aliasEdit]))
    .meta({ type: ['string', 'null'] })
}

/** The alias that a change gives to a bug, unless it only takes one away. */
export function findGivenAlias(change: AliasChange | undefined): string | undefined {
  const alias = isEdit(change) ? listAdded(change)[0] : change
  return alias?.trim() || undefined
}

/**
 * The alias of a bug after a change, null for none; undefined when it stays. Refuses a second alias beside the one
 * that stays.
 */
export function decideAlias(
  change: AliasChange | undefined,
  current: string,
): string | null | undefined {
  if (!isEdit(change)) {
    return change === undefined ? undefined : normalizeAlias(change)
  }
  const isRemoved = (change.remove ?? []).some((alias) => isSame(alias, current))
  const added = listAdded(change).filter((alias) => !isSame(alias, current))
  const [alias, second] = current === '' || isRemoved ? added : [current, ...added]
  if (second !== undefined) {
    const reason = `cannot be added beside '${alias}', because a bug has one alias at most`
    throw fault(aliasInvalid, { alias: second.slice(0, 100), reason })
  }
  return alias === current ? undefined : normalizeAlias(alias ?? null)
}

function isEdit(change: AliasChange | undefined): change is z.output<typeof aliasEdit> {
  return typeof change === 'object' && change !== null
}

/** What an edit adds and does not remove, each once. */
function listAdded({ add = [], remove = [] }: z.output<typeof aliasEdit>): string[] {
  const removed = new Set(remove.map((alias) => fold(alias.trim())))
  const added = new Map(add.map((alias) => [fold(alias.trim()), alias.trim()]))
  return [...added].filter(([folded]) => !removed.has(folded)).map(([, alias]) => alias)
}

function isSame(one: string, other: string): boolean {
  return fold(one.trim()) === fold(other)
}
