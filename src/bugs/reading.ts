import { createHmac } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { BugSet } from '../access/reach.ts'
import { tracksTime } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { bugs } from '../db/schema/bugs.ts'
import { fields } from '../db/schema/fields.ts'
import { Selection } from '../lib/selection.ts'
import { People } from '../users/people.ts'
import { type BugColumn, type BugRow, bugColumns } from './columns.ts'
import { type CustomField, showCustom } from './custom.ts'
import { BUG_FIELDS, type BugField, classOfBugField, type View } from './fields.ts'
import type { BugObject } from './shape.ts'

type Selected = { include_fields?: readonly string[]; exclude_fields?: readonly string[] }

/**
 * The reading of bugs for one call: which columns its field selection needs, and how rows become Bug
 * objects. Contract "Bug".
 */
export class BugReading {
  readonly #caller: Ctx['caller']
  readonly #view: View
  readonly #selection: Selection
  readonly #fields: readonly [name: string, field: BugField][]
  readonly #wantsCustom: boolean

  constructor(ctx: Ctx, selected: Selected) {
    this.#caller = ctx.caller
    this.#view = viewOf(ctx)
    this.#selection = new Selection(selected)
    this.#fields = Object.entries(BUG_FIELDS).filter(
      ([name, field]) =>
        this.#selection.wants(name, field.class) && (field.isFor?.(this.#view) ?? true),
    )
    this.#wantsCustom =
      this.#selection.wants('cf_', 'custom') ||
      (selected.include_fields ?? []).some((name) => name.startsWith('cf_'))
  }

  /** The statement that reads the wanted columns of some bugs. */
  rows(set: BugSet, order: readonly SQL[] = []) {
    const all = bugColumns(this.#caller)
    const names = new Set<BugColumn>([
      'id',
      ...this.#fields.flatMap(([, field]) => field.reads),
      ...(this.#wantsCustom ? CUSTOM : []),
    ])
    return db
      .select(Object.fromEntries([...names].map((name) => [name, all[name].as(name)])))
      .from(bugs)
      .where(set.condition)
      .orderBy(...order)
  }

  /** The statement that reads the custom fields; undefined when none is wanted. */
  definitions() {
    return this.#wantsCustom ? customFields() : undefined
  }

  /** Bug objects from the rows that `rows` read, in their order. */
  show(rows: readonly unknown[], definitions: readonly CustomField[] = []): BugObject[] {
    return (rows as readonly BugRow[]).map((row) => {
      const shown: Record<string, unknown> = {}
      for (const [name, field] of this.#fields) {
        const value = field.show(row, this.#view)
        if (value !== undefined) {
          shown[name] = value
        }
      }
      const custom = this.#wantsCustom ? showCustom(row.custom, definitions) : {}
      // the fields are built by name from a table; every answer of every test is held against the shape
      return this.#selection.prune({ ...shown, ...custom }, classOfBugField) as BugObject
    })
  }
}

const CUSTOM: readonly BugColumn[] = ['custom']

function customFields() {
  return db
    .select({
      id: fields.id,
      name: fields.name,
      type: fields.type,
      isObsolete: fields.isObsolete,
    })
    .from(fields)
    .where(sql`${fields.isCustom} = 1`)
    .orderBy(fields.id)
}

function viewOf({ caller, settings, env }: Ctx): View {
  return {
    people: new People(caller, settings),
    tracksTime: tracksTime(caller),
    updateToken:
      caller.kind === 'person'
        ? (bugId, changedAt) => {
            const signed = createHmac('sha256', env.SECRETS_KEY)
              .update(`update token:${bugId}:${changedAt}:${caller.id}`)
              .digest('base64url')
            return `${changedAt}-${signed.slice(0, 22)}`
          }
        : null,
  }
}
