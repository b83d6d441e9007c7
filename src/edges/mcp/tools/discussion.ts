import type { Parameters } from '../../../platform/http/request/app-env.ts'
import * as shapes from '../shapes.ts'
import {
  readCount,
  readOffset,
  readTextLength,
  shortenObjects,
  TEXT_LENGTH,
  takeFitting,
} from '../shorten.ts'
import type { Tool } from '../types.ts'

const { text, whole, yesNo } = shapes

const COMMENTS = { what: 'comments', normal: 25, most: 100 }
/** Where texts are whole, few fit into a result, and the others would be read in vain. */
const LONG_TEXT = 10_000
const LONG_COMMENTS = 10
const CHANGES = { what: 'changes', normal: 50, most: 200 }

const newestFirst = yesNo('Begin with the newest; the oldest comes first otherwise')

function isNewestFirst({ newest_first }: Parameters): boolean {
  return String(newest_first) === 'true'
}

export const listCommentsTool: Tool = {
  name: 'list_comments',
  title: 'Read the discussion of a bug',
  description:
    'Reads the comments of one bug; the comment with `count` 0 is the description. In a long discussion read the newest first.',
  effect: 'read',
  takes: {
    bug: shapes.bug,
    new_since: text('Only comments that are newer than this time, such as 2026-01-31T12:00:00Z'),
    newest_first: newestFirst,
    ...shapes.page(COMMENTS),
    offset: whole('Where to go on, as the note of a result says'),
    text_length: whole(
      `Most characters of a text to return: ${TEXT_LENGTH} unless given; beyond ${LONG_TEXT}, ${LONG_COMMENTS} comments are returned at most`,
    ),
  },
  required: ['bug'],
  operation: 'GET /bug/:id_or_alias/comment',
  isLong: true,
  gives: { comments: shapes.objects, note: shapes.note },
  toParameters: ({ bug, new_since, ...given }) => ({
    id_or_alias: String(bug),
    new_since,
    from_end: isNewestFirst(given),
    limit: Math.min(
      readCount(given, 'limit', COMMENTS),
      readTextLength(given) > LONG_TEXT ? LONG_COMMENTS : COMMENTS.most,
    ),
    offset: readOffset(given),
    include_fields: 'id,count,creator,creation_time,text,is_private,attachment_id,tags',
  }),
  toResult: ({ body, page, given }) => {
    const { bugs } = body as { bugs: Record<string, { comments: Comment[] }> }
    const comments = Object.values(bugs).flatMap((one) => one.comments)
    const ordered = isNewestFirst(given) ? comments.reverse() : comments
    const shown = takeFitting(shortenObjects(ordered, given))
    const cutAt = ordered[shown.length]?.count
    const cutNext = cutAt === undefined ? undefined : isNewestFirst(given) ? cutAt + 1 : cutAt
    const note = describeRest(shown.length, page?.total?.count, cutNext ?? page?.next?.offset)
    return { members: { comments: shown, ...(note !== '' && { note }) } }
  },
}

type Comment = { readonly count: number }

/** Says how many comments there are beside those that are shown, and how to get the others. */
function describeRest(shown: number, total: number | undefined, next: Parameters[string]): string {
  const isWhole = total === undefined || shown === total
  return [
    ...(isWhole ? [] : [`${shown === 0 ? 'None' : shown} of ${total} comments.`]),
    ...(next === undefined ? [] : [`For more, call again with offset ${next}.`]),
  ].join(' ')
}

export const addCommentTool: Tool = {
  name: 'add_comment',
  title: 'Comment on a bug',
  description:
    'Adds a comment to one bug and returns the ID of the comment. To change fields too, use update_bug with a comment. People get mail.',
  effect: 'add',
  takes: {
    bug: shapes.bug,
    comment: text('The text, in Markdown'),
    is_private: yesNo('Only insiders see it'),
  },
  required: ['bug', 'comment'],
  operation: 'POST /bug/:id_or_alias/comment',
  gives: { id: { type: 'integer', description: 'ID of the comment' } },
  toParameters: ({ bug, ...given }) => ({ ...given, id_or_alias: String(bug) }),
  toResult: ({ body }) => ({ members: { ...(body as { id: number }) } }),
}

export const getHistoryTool: Tool = {
  name: 'get_history',
  title: 'Read what was changed in a bug',
  description:
    'Reads the changes of the fields of one bug: when, by whom, from what to what. Comments are not among them.',
  effect: 'read',
  takes: {
    bug: shapes.bug,
    new_since: text('Only changes that are newer than this time'),
    newest_first: newestFirst,
    limit: shapes.limit(CHANGES),
    position: text('Where to go on, as the note of a result says'),
  },
  required: ['bug'],
  operation: 'GET /bug/:id_or_alias/history',
  isLong: true,
  gives: { history: shapes.objects, note: shapes.note },
  renamed: { before: 'position', from: 'position' },
  toParameters: ({ bug, new_since, ...given }) => {
    const { at, skipped } = readPosition(given)
    const limit = readCount(given, 'limit', CHANGES)
    const place = isNewestFirst(given) ? { before: at } : { from: at || BEGINNING }
    // what is skipped belongs to the page, unless the page is smaller than the one before
    const newest = skipped < limit ? limit : limit + skipped
    return { id_or_alias: String(bug), new_since, newest, ...place }
  },
  toResult: ({ body, page, given }) => {
    const { bugs } = body as { bugs: { history: Entry[] }[] }
    const { at, skipped } = readPosition(given)
    const history = bugs.flatMap((one) => one.history)
    const entries = skipChanges(isNewestFirst(given) ? history.reverse() : history, skipped)
    const shown = takeFitting(shortenObjects(entries, {}))
    const isCut = shown.length < entries.length
    const end = skipped + countChanges(entries.slice(0, shown.length))
    const next = isCut ? `${at}+${end}` : (page?.next?.before ?? page?.next?.from)
    const note = next === undefined ? {} : { note: `For more, call again with position ${next}.` }
    return { members: { history: shown, ...note } }
  },
}

type Entry = { readonly changes: readonly object[] }

/** Ahead of every change. */
const BEGINNING = '1970-01-01T00:00:00Z'

/** Where a page of history begins, and how many of its changes were in the result before. */
function readPosition({ position }: Parameters): { at: string; skipped: number } {
  const [, at = '', skipped = '0'] = /^(.*?)(?:\+(\d{1,3}))?$/s.exec(String(position ?? '')) ?? []
  return { at, skipped: Number(skipped) }
}

/** The entries behind those that have so many changes. */
function skipChanges(entries: readonly Entry[], count: number): readonly Entry[] {
  let end = 0
  for (let changes = 0; changes < count && end < entries.length; end += 1) {
    changes += entries[end]?.changes.length ?? 0
  }
  return entries.slice(end)
}

function countChanges(entries: readonly Entry[]): number {
  return entries.reduce((sum, { changes }) => sum + changes.length, 0)
}
