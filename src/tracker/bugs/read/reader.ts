import type { SQL } from 'drizzle-orm'
import { type BugSet, bugsById } from '../../../platform/access/bug-set.ts'
import { canTrackTime } from '../../../platform/access/caller.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch, selectOf } from '../../../platform/db/read-batch.ts'
import { fields } from '../../../platform/db/schema/fields.ts'
import { aliasColumns, sortedBy, sql } from '../../../platform/db/sql.ts'
import { FIELD_LISTS } from '../../../platform/http/operations/unknown-fields.ts'
import { presentAlias } from '../../../platform/lib/alias.ts'
import {
  type FieldClass,
  formsOf,
  type SelectedFields,
  Selection,
} from '../../../platform/lib/selection.ts'
import {
  combinePlaceholders,
  NO_PLACEHOLDERS,
  type ResponsePlaceholders,
} from '../../../platform/lib/stream.ts'
import { commaList, fold } from '../../../platform/lib/text.ts'
import { type ChunkLimit, limitChunk } from '../../../platform/load/readers.ts'
import {
  assertFewAttachments,
  type StoredAttachment,
  selectAttachmentsOfBugs,
} from '../../attachments/get.ts'
import { presentAttachment } from '../../attachments/present.ts'
import type { StreamedBytes } from '../../attachments/streamed-bytes.ts'
import {
  type CommentList,
  isTruncated,
  type SizedCommentRow,
  selectFirstComments,
  selectSize,
} from '../../comments/chunks.ts'
import { type CommentRow, presentComment } from '../../comments/present.ts'
import { canBuffer, StreamedComments } from '../../comments/streamed-comments.ts'
import { admitLength, areManyDiscussed } from '../../history/discussion-bounds.ts'
import { LateValues } from '../../history/late-values.ts'
import { type HistoryRow, presentHistory } from '../../history/present.ts'
import { selectHistory, selectHistorySize } from '../../history/select.ts'
import { PeoplePresenter } from '../../users/people.ts'
import { type CustomField, presentCustom } from '../custom-fields/present.ts'
import { omitOnError } from '../model/omit-on-error.ts'
import type { BugColumn, BugRow } from './columns.ts'
import { BUG_FIELDS, type BugField, classOfBugField, repeatingParser, type View } from './fields.ts'
import { admitLists } from './list-bounds.ts'
import { ReadingLoad } from './reading-load.ts'
import { selectBugs, selectSeveralBugs } from './select.ts'
import type { BugObject } from './shape.ts'

const f = aliasColumns(fields, 'f')

const FIELDS = Object.entries<BugField>(BUG_FIELDS)

export type ReadBugs = {
  readonly rows: readonly BugRow[]
  readonly definitions?: readonly CustomField[] | undefined
  readonly comments?: readonly SizedCommentRow[] | undefined
  readonly history?: readonly HistoryRow[] | undefined
  readonly attachments?: readonly StoredAttachment[] | undefined
}

/**
 * The reading of bugs for one call: which columns its field selection needs, and how rows become Bug objects.
 */
export class BugReading {
  readonly #ctx: Ctx
  readonly #view: View
  readonly #selected: SelectedFields
  readonly #selection: Selection
  readonly #fields: readonly [name: string, field: BugField][]
  readonly #wantsCustom: boolean
  readonly #wantsComments: boolean
  readonly #wantsHistory: boolean
  readonly #wantsAttachments: boolean
  /** Bytes of attachments come with each bug, for who names them. */
  readonly wantsBytes: boolean
  readonly #list: CommentList
  /** Whether some comments did not come with their bugs. */
  #isCut = false
  #areListsAdmitted = false
  /** Of the comments that were read last. */
  #limit: ChunkLimit = limitChunk()
  readonly #newSince: number | undefined
  readonly #bots: readonly string[]

  readonly load: ReadingLoad

  /** Placeholders of comments and of values of history that do not fit into memory; the response fills them. */
  readonly gaps: ResponsePlaceholders
  readonly #commentGaps: StreamedComments
  readonly #lateValues: LateValues | undefined

  /** `newSince`, in Unix seconds, cuts comments and history. */
  constructor(ctx: Ctx, selected: SelectedFields, newSince?: number) {
    this.#ctx = ctx
    this.#newSince = newSince
    this.#bots = commaList(ctx.settings.BOT_LOGINS).map(fold)
    this.#view = viewOf(ctx)
    this.#selected = selected
    this.#selection = new Selection(selected)
    this.#fields = FIELDS.filter(
      ([name, field]) =>
        this.#selection.includes(name, field.class) && (field.isFor?.(this.#view) ?? true),
    )
    this.#wantsCustom =
      this.#selection.includes('cf_', 'custom') ||
      (selected.include_fields ?? []).some((name) => name.startsWith('cf_'))
    this.#wantsComments = this.#selection.includes('comments', 'extra')
    this.#wantsHistory = this.#selection.includes('history', 'extra')
    this.#wantsAttachments = this.#selection.includes('attachments', 'extra')
    this.load = new ReadingLoad(
      ctx,
      this.#wantsComments || this.#wantsHistory || this.#wantsAttachments,
    )
    this.wantsBytes =
      (selected.include_fields ?? []).includes('attachments.data') &&
      this.#selection.includesSubField('attachments', 'data', 'extra')
    // collapsed comments are only for callers who name the field
    const collapsed = this.#selection.includesByName('comments')
      ? ''
      : ctx.settings.COLLAPSED_COMMENT_TAGS
    this.#list = { caller: ctx.caller, newSince, excludedTags: commaList(collapsed).map(fold) }
    this.#commentGaps = new StreamedComments(ctx, this.#list, (row) => this.#lateComment(row))
    this.#lateValues = ctx.shortensValues ? undefined : new LateValues(ctx)
    this.gaps = combinePlaceholders(this.#commentGaps, this.#lateValues ?? NO_PLACEHOLDERS)
  }

  /** Refuses all that is left, of which some was too long, where its lists have more items than a request may read. */
  async admitLists(ids: readonly number[]): Promise<void> {
    if (!this.#areListsAdmitted) {
      this.#areListsAdmitted = true
      await admitLists(this.#ctx, ids, this.#columns())
    }
  }

  /**
   * Refuses longer discussions of these bugs than a request may read, of which the first have been presented. Costs a
   * round trip where they are many, or where these were not all.
   */
  async admitLength(ids: readonly number[]): Promise<void> {
    if (!this.load.isLarge) {
      return
    }
    if (!(areManyDiscussed(ids.length) || ids.length > this.load.chunk || this.#isCut)) {
      admitLength(this.#ctx, ids.length, [this.#lateValues])
      return
    }
    const set = bugsById(this.#ctx.caller, ids)
    const { comments, history } = await readBatch(this.#ctx, {
      comments: this.#wantsComments ? selectSize(this.#list, set) : undefined,
      history: this.#wantsHistory ? selectHistorySize(this.#ctx, set, this.#newSince) : undefined,
    })
    admitLength(this.#ctx, ids.length, [comments?.[0], history?.[0]])
  }

  /**
   * The selects of the selected fields of some bugs, of up to `most`, for one `readBatch`; undefined for fields that
   * are not selected. Of several, it fails with `RowsTooLong` where their lists are too long for one.
   */
  selects(set: BugSet, most: number, order: readonly SQL[] = []) {
    this.#limit = limitChunk()
    return {
      rows: this.#rows(set, most, order),
      definitions: this.#wantsCustom ? selectCustomFields() : undefined,
      comments: this.#wantsComments ? selectFirstComments(this.#list, set, this.#limit) : undefined,
      history: this.#wantsHistory
        ? selectHistory(this.#ctx, set, { newSince: this.#newSince })
        : undefined,
      attachments: this.#wantsAttachments
        ? selectAttachmentsOfBugs(this.#ctx.caller, set)
        : undefined,
    }
  }

  #columns(): BugColumn[] {
    const read = this.#fields.flatMap(([, field]) => field.reads)
    return [...new Set<BugColumn>(['id', ...read, ...(this.#wantsCustom ? CUSTOM : [])])]
  }

  #rows(set: BugSet, most: number, order: readonly SQL[]) {
    const rest = sql`WHERE ${set.condition} ${sortedBy(order)}`
    const select = most > 1 ? selectSeveralBugs : selectBugs
    return select(this.#ctx.caller, this.#columns(), this.#bots, rest)
  }

  /**
   * Presents Bug objects from what `selects` read, in the order of its rows. With `gaps`, the bytes of
   * attachments become placeholders there.
   */
  present(read: ReadBugs, gaps?: StreamedBytes): BugObject[] {
    return [...this.presentEach(read, gaps)]
  }

  /** The same, one by one: a bug that is not taken has no placeholders. */
  *presentEach(read: ReadBugs, gaps?: StreamedBytes): Generator<BugObject> {
    if (read.definitions !== undefined) {
      this.#noteUnknown(read.definitions)
    }
    assertFewAttachments(read.attachments ?? [])
    const attachmentsOf = Map.groupBy(read.attachments ?? [], (attachment) => attachment.bugId)
    const comments = read.comments ?? []
    const isHeld = canBuffer(comments, this.#limit)
    const cutAt = isTruncated(comments, this.#limit) ? comments.at(-1) : undefined
    this.#isCut ||= cutAt !== undefined
    const commentsOf = Map.groupBy(comments, (comment) => comment.bugId)
    const historyOf = Map.groupBy(read.history ?? [], (change) => change.bugId)
    const blank = read.rows.length > FEW ? blankWith(this.#fields.map(([name]) => name)) : {}
    for (const row of read.rows) {
      const shown = this.#own(row, blank)
      const add = (field: string, show: () => unknown) => {
        const value = omitOnError({ bugId: row.id, field }, show)
        if (value !== undefined) {
          shown[field] = value
        }
      }
      if (this.#wantsComments) {
        const own = commentsOf.get(row.id) ?? []
        add('comments', () =>
          isHeld
            ? own.map((comment) => this.#comment(comment))
            : this.#commentGaps.addPlaceholder(row.id, own, cutAt),
        )
      }
      if (this.#wantsHistory) {
        add('history', () =>
          presentHistory(
            historyOf.get(row.id) ?? [],
            this.#view.people,
            this.#view.baseUrl,
            this.#lateValues,
          ),
        )
      }
      if (this.#wantsAttachments) {
        add('attachments', () => this.#attachments(attachmentsOf.get(row.id) ?? [], gaps))
      }
      const custom = this.#wantsCustom
        ? omitOnError({ bugId: row.id, field: 'cf_*' }, () =>
            presentCustom(row, read.definitions ?? []),
          )
        : {}
      // the selection still has to cut custom fields and the insides of all others
      const isDone = !this.#selection.hasSubFields && Object.keys(custom ?? {}).length === 0
      const bug = isDone ? shown : this.#selection.prune({ ...shown, ...custom }, classOf)
      // the fields are built by name from a table; every test checks every answer against the shape
      yield bug as BugObject
    }
  }

  /** Only the definitions tell which names are those of custom fields. */
  #noteUnknown(definitions: readonly CustomField[]): void {
    const known = new Set(definitions.flatMap(({ name }) => formsOf(name)))
    for (const list of FIELD_LISTS) {
      const named = (this.#selected[list] ?? []).filter((name) => /^cf_[^.]*$/.test(name))
      this.#ctx.noteUnused(
        named.filter((name) => !known.has(name)),
        list,
      )
    }
  }

  /**
   * The fields from the bug's own row, one by one when some are hidden. Fields that are left out are
   * undefined, which JSON omits.
   */
  #own(row: BugRow, blank: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const shown = { ...blank }
    try {
      for (const [name, field] of this.#fields) {
        shown[name] = field.present(row, this.#view)
      }
    } catch {
      for (const [name, field] of this.#fields) {
        shown[name] = omitOnError({ bugId: row.id, field: name }, () =>
          field.present(row, this.#view),
        )
      }
    }
    return shown
  }

  #comment(row: CommentRow) {
    return presentComment(row, EVERYTHING, this.#view.people)
  }

  /** For a gap, which the bug's own selection passed over. */
  #lateComment(row: CommentRow): object {
    const bug = this.#selection.prune({ comments: [this.#comment(row)] }, classOf)
    return bug.comments?.[0] ?? {}
  }

  #attachments(rows: readonly StoredAttachment[], gaps: StreamedBytes | undefined) {
    const gapOf = this.wantsBytes ? gaps : undefined
    return rows.map((attachment) =>
      presentAttachment(
        attachment,
        EVERYTHING,
        this.#view.people,
        gapOf?.addPlaceholder(attachment),
      ),
    )
  }
}

/** More bugs than this are built from a blank. */
const FEW = 3

/**
 * An object that has all these members already. Only such an object keeps a fixed layout with so many of
 * them; one to which they are added by name becomes a dictionary, slow to fill and slow to write as JSON.
 */
function blankWith(names: readonly string[]): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))))
}

const CUSTOM: readonly BugColumn[] = ['custom']

/** Nested objects are whole; the bug's own selection cuts them. */
const EVERYTHING = new Selection({ include_fields: ['_all'] })

/** Fields that are read beside the columns of the bug. */
const BROUGHT_ALONG: readonly string[] = ['comments', 'history', 'attachments']

function classOf(name: string): FieldClass {
  return BROUGHT_ALONG.includes(name) ? 'extra' : classOfBugField(name)
}

function selectCustomFields() {
  return selectOf(
    {
      id: sql<number>`${f.id}`,
      name: sql<string>`${f.name}`,
      type: sql<number>`${f.type}`,
      isObsolete: sql`${f.isObsolete}`.mapWith(Boolean),
    },
    sql`FROM fields f WHERE ${f.isCustom} = 1 ORDER BY ${f.id}`,
  )
}

function viewOf({ caller, settings, baseUrl }: Ctx): View {
  return {
    baseUrl,
    people: new PeoplePresenter(caller, settings),
    tracksTime: canTrackTime(caller),
    parse: repeatingParser(),
    alias: (alias) => presentAlias(alias, settings.ALIAS_AS_LIST),
    person: caller.kind === 'person' ? caller : null,
    settings,
  }
}
