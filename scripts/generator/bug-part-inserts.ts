import { fold } from '../../src/platform/lib/text.ts'
import type { Bug, Change, Comment } from './bug.ts'
import { flatMapRows, formatObjectKey } from './bug-inserts.ts'
import { createRandom, type Random } from './random.ts'
import type { Cell, TableInsert } from './table-insert.ts'
import { drawWord } from './words.ts'
import type { World } from './world.ts'

const ATTACHMENTS = 5
const KEYWORDS = 6

const KINDS = [
  { ending: 'png', type: 'image/png', isPatch: false },
  { ending: 'txt', type: 'text/plain', isPatch: false },
  { ending: 'diff', type: 'text/plain', isPatch: true },
]

/** The attachments, which comments refer to. The bugs must be inserted first. */
export function attachmentInsert(world: World, bugs: Bug[]): TableInsert {
  return {
    table: 'attachments',
    columns: [
      ['bug_id', 'base.bug + #'],
      ['submitter_id', 'base.person + #'],
      ['created_at'],
      ['changed_at'],
      ['file_name'],
      ['summary'],
      ['summary_fold'],
      ['content_type'],
      ['size'],
      ['object_key'],
      ['sha256'],
      ['is_private'],
      ['is_patch'],
    ],
    rows: flatMapRows(bugs, (bug) => drawAttachmentRows(world, bug)),
  }
}

/** The lists of the bugs: CC, keywords, groups and dependencies. */
export function setInserts(world: World, bugs: Bug[]): TableInsert[] {
  return [
    {
      table: 'bug_cc',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['user_id', 'base.person + #'],
      ],
      rows: flatMapRows(bugs, (bug) => [...bug.cc].map((person) => [bug.index, person])),
    },
    {
      table: 'bug_keywords',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['keyword_id', 'base.keyword + #'],
      ],
      rows: flatMapRows(bugs, (bug) => drawKeywordRows(world, bug)),
    },
    {
      table: 'bug_groups',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['group_id', 'base.security'],
      ],
      rows: flatMapRows(bugs, (bug) => (bug.isRestricted ? [[bug.index]] : [])),
    },
    {
      table: 'dependencies',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['depends_on_id', 'base.bug + #'],
      ],
      rows: flatMapRows(bugs, (bug) => [...bug.dependsOn].map((other) => [bug.index, other])),
    },
  ]
}

/** Flags, each with one row of activity. */
export function flagInserts(bugs: Bug[]): TableInsert[] {
  return [
    {
      table: 'flags',
      columns: [
        ['type_id', 'base.flag_type'],
        ['bug_id', 'base.bug + #'],
        ['status'],
        ['setter_id', 'base.person + #'],
        ['requestee_id', 'base.person + #'],
        ['created_at'],
        ['modified_at'],
      ],
      rows: flatMapRows(bugs, ({ index, flag }) =>
        flag === null ? [] : [[index, flag.status, flag.by, flag.requestee, flag.at, flag.at]],
      ),
    },
    {
      table: 'flag_activity',
      columns: [
        ['flag_id', '(SELECT id FROM flags WHERE bug_id = base.bug + #)'],
        ['type_id', 'base.flag_type'],
        ['bug_id', 'base.bug + #'],
        ['status'],
        ['setter_id', 'base.person + #'],
        ['requestee_id', 'base.person + #'],
        ['happened_at'],
      ],
      rows: flatMapRows(bugs, ({ index, flag }) =>
        flag === null ? [] : [[index, index, flag.status, flag.by, flag.requestee, flag.at]],
      ),
    },
  ]
}

/** The history. */
export function historyInsert(bugs: Bug[]): TableInsert {
  // a number is the index of a bug, whose ID only the database knows
  const value = `iif(typeof(#) = 'integer', CAST(base.bug + # AS TEXT), #)`
  return {
    table: 'history',
    columns: [
      ['bug_id', 'base.bug + #'],
      ['author_id', 'base.person + #'],
      ['changed_at'],
      ['field'],
      ['removed', value],
      ['removed_fold', value],
      ['added', value],
      ['added_fold', value],
    ],
    rows: flatMapRows(bugs, (bug) => bug.changes.map((change) => presentHistoryRow(bug, change))),
  }
}

function drawAttachmentRows(world: World, bug: Bug): Cell[][] {
  const draw = createRandom(world.seed, ATTACHMENTS, ...bug.key)
  return bug.comments.flatMap((comment) =>
    comment.attachment === null
      ? []
      : [drawAttachmentRow(world, bug, comment, comment.attachment, draw)],
  )
}

function drawAttachmentRow(
  world: World,
  bug: Bug,
  comment: Comment,
  attachment: number,
  draw: Random,
): Cell[] {
  const { ending, type, isPatch } = draw.pick(KINDS)
  const title = `${drawWord(draw)} ${drawWord(draw)}`
  const size = Math.ceil(draw.logNormal(8000))
  return [
    ...[
      bug.index,
      comment.by,
      comment.at,
      comment.at,
      `${drawWord(draw)}.${ending}`,
      title,
      fold(title),
    ],
    ...[type, size, formatObjectKey(world, bug, attachment), drawDigest(draw)],
    ...[Number(comment.isPrivate), Number(isPatch)],
  ]
}

/** A random value in place of the SHA-256, because the attachment has no bytes. */
function drawDigest(draw: Random): string {
  return Array.from({ length: 64 }, () => draw.below(16).toString(16)).join('')
}

function drawKeywordRows(world: World, bug: Bug): Cell[][] {
  const draw = createRandom(world.seed, KEYWORDS, ...bug.key)
  const count = draw.chance(0.15) ? 1 + draw.below(2) : 0
  const first = draw.below(world.keywords.length)
  return Array.from({ length: count }, (_, n) => [bug.index, (first + n) % world.keywords.length])
}

function presentHistoryRow(bug: Bug, { at, by, field, removed, added }: Change): Cell[] {
  const folded = (value: string | number) => (typeof value === 'string' ? fold(value) : value)
  return [bug.index, by, at, field, removed, folded(removed), added, folded(added)]
}
