import { fold } from '../../src/lib/text.ts'
import { flat, objectKey } from './file.ts'
import type { Bug, Change, Said } from './lives.ts'
import type { Cell, Load } from './load.ts'
import { type Random, random } from './random.ts'
import { word } from './words.ts'
import type { World } from './world.ts'

const ATTACHMENTS = 5
const KEYWORDS = 6

const KINDS = [
  { ending: 'png', type: 'image/png', isPatch: false },
  { ending: 'txt', type: 'text/plain', isPatch: false },
  { ending: 'diff', type: 'text/plain', isPatch: true },
]

/** Everything that hangs on bugs and that comments may refer to; the bugs must be there. */
export function attachmentLoad(world: World, bugs: Bug[]): Load {
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
    rows: flat(bugs, (bug) => attachmentRows(world, bug)),
  }
}

/** The sets of a bug: CC list, keywords, groups and what it depends on. */
export function setLoads(world: World, bugs: Bug[]): Load[] {
  return [
    {
      table: 'bug_cc',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['user_id', 'base.person + #'],
      ],
      rows: flat(bugs, (bug) => [...bug.cc].map((person) => [bug.place, person])),
    },
    {
      table: 'bug_keywords',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['keyword_id', 'base.keyword + #'],
      ],
      rows: flat(bugs, (bug) => keywordRows(world, bug)),
    },
    {
      table: 'bug_groups',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['group_id', 'base.security'],
      ],
      rows: flat(bugs, (bug) => (bug.isRestricted ? [[bug.place]] : [])),
    },
    {
      table: 'dependencies',
      columns: [
        ['bug_id', 'base.bug + #'],
        ['depends_on_id', 'base.bug + #'],
      ],
      rows: flat(bugs, (bug) => [...bug.dependsOn].map((other) => [bug.place, other])),
    },
  ]
}

/** Flags, each with the one thing that happened to it. */
export function flagLoads(bugs: Bug[]): Load[] {
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
      rows: flat(bugs, ({ place, flag }) =>
        flag === null ? [] : [[place, flag.status, flag.by, flag.requestee, flag.at, flag.at]],
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
      rows: flat(bugs, ({ place, flag }) =>
        flag === null ? [] : [[place, place, flag.status, flag.by, flag.requestee, flag.at]],
      ),
    },
  ]
}

/** What changed, in the words of the history. */
export function historyLoad(bugs: Bug[]): Load {
  // Bugs are named by their ID, which only the database knows.
  const words = `iif(typeof(#) = 'integer', CAST(base.bug + # AS TEXT), #)`
  return {
    table: 'history',
    columns: [
      ['bug_id', 'base.bug + #'],
      ['author_id', 'base.person + #'],
      ['changed_at'],
      ['field'],
      ['removed', words],
      ['removed_fold', words],
      ['added', words],
      ['added_fold', words],
    ],
    rows: flat(bugs, (bug) => bug.changes.map((change) => historyRow(bug, change))),
  }
}

function attachmentRows(world: World, bug: Bug): Cell[][] {
  const draw = random(world.seed, ATTACHMENTS, ...bug.key)
  return bug.said.flatMap((said) =>
    said.attachment === null ? [] : [attachmentRow(world, bug, said, said.attachment, draw)],
  )
}

function attachmentRow(
  world: World,
  bug: Bug,
  said: Said,
  attachment: number,
  draw: Random,
): Cell[] {
  const { ending, type, isPatch } = draw.pick(KINDS)
  const title = `${word(draw)} ${word(draw)}`
  const size = Math.ceil(draw.spread(8000))
  return [
    ...[bug.place, said.by, said.at, said.at, `${word(draw)}.${ending}`, title, fold(title)],
    ...[type, size, objectKey(world, bug, attachment), digest(draw)],
    ...[Number(said.isPrivate), Number(isPatch)],
  ]
}

/** Looks like a SHA-256; there are no bytes that it could be the digest of. */
function digest(draw: Random): string {
  return Array.from({ length: 64 }, () => draw.below(16).toString(16)).join('')
}

function keywordRows(world: World, bug: Bug): Cell[][] {
  const draw = random(world.seed, KEYWORDS, ...bug.key)
  const count = draw.chance(0.15) ? 1 + draw.below(2) : 0
  const first = draw.below(world.keywords.length)
  return Array.from({ length: count }, (_, n) => [bug.place, (first + n) % world.keywords.length])
}

function historyRow(bug: Bug, { at, by, field, removed, added }: Change): Cell[] {
  const folded = (value: string | number) => (typeof value === 'string' ? fold(value) : value)
  return [bug.place, by, at, field, removed, folded(removed), added, folded(added)]
}
