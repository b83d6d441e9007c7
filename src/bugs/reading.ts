import { createHmac } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { BugSet } from '../access/reach.ts'
import { tracksTime } from '../access/rights.ts'
import { commentsOfBugs } from '../comments/get.ts'
import { type CommentRow, presentComment } from '../comments/present.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { bugs } from '../db/schema/bugs.ts'
import { fields } from '../db/schema/fields.ts'
import { type FieldClass, Selection } from '../lib/selection.ts'
import { commaList, fold } from '../lib/text.ts'
import { People } from '../users/people.ts'
import { type BugColumn, type BugRow, bugColumns } from './columns.ts'
import { type CustomField, showCustom } from './custom.ts'
import { BUG_FIELDS, type BugField, classOfBugField, type View } from './fields.ts'
import type { BugObject } from './shape.ts'

type Selected = { include_fields?: readonly string[]; exclude_fields?: readonly string[] }

/** What came of `statements`. */
type Read = {
  readonly rows: readonly unknown[]
  readonly definitions?: readonly CustomField[] | undefined
  readonly comments?: readonly CommentRow[] | undefined
}

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
  readonly #wantsComments: boolean
  /** Comments with these tags are shown only to who names the field. Contract "Bug", extra fields. */
  readonly #collapsedTags: readonly string[]

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
    this.#wantsComments = this.#selection.wants('comments', 'extra')
    this.#collapsedTags = this.#selection.names('comments')
      ? []
      : commaList(ctx.settings.COLLAPSED_COMMENT_TAGS).map(fold)
  }

  /** How many bugs may be held at once: fewer when each brings its discussion along. */
  get chunk(): number {
    return this.#wantsComments ? 50 : 500
  }

  /**
   * The statements that read what is wanted of some bugs, to be sent `together`: what nobody wants is
   * undefined and not asked.
   */
  statements(set: BugSet, order: readonly SQL[] = []) {
    return {
      rows: this.#rows(set, order),
      definitions: this.#wantsCustom ? customFields() : undefined,
      comments: this.#wantsComments
        ? commentsOfBugs(this.#caller, set, this.#collapsedTags)
        : undefined,
    }
  }

  #rows(set: BugSet, order: readonly SQL[]) {
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

  /** Bug objects from what `statements` read, in the order of its rows. */
  show(read: Read): BugObject[] {
    const commentsOf = Map.groupBy(read.comments ?? [], (comment) => comment.bugId)
    return (read.rows as readonly BugRow[]).map((row) => {
      const shown: Record<string, unknown> = {}
      for (const [name, field] of this.#fields) {
        const value = field.show(row, this.#view)
        if (value !== undefined) {
          shown[name] = value
        }
      }
      if (this.#wantsComments) {
        shown.comments = (commentsOf.get(row.id) ?? []).map((comment) =>
          presentComment(comment, EVERYTHING, this.#view.people),
        )
      }
      const custom = this.#wantsCustom ? showCustom(row.custom, read.definitions ?? []) : {}
      // the fields are built by name from a table; every answer of every test is held against the shape
      return this.#selection.prune({ ...shown, ...custom }, classOf) as BugObject
    })
  }
}

const CUSTOM: readonly BugColumn[] = ['custom']

/** Nested objects are whole; the bug's own selection cuts them. */
const EVERYTHING = new Selection({ include_fields: ['_all'] })

function classOf(name: string): FieldClass {
  return name === 'comments' ? 'extra' : classOfBugField(name)
}

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
