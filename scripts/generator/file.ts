import { fold } from '../../src/lib/text.ts'
import { type Bug, lastChange } from './lives.ts'
import type { Cell, Load } from './load.ts'
import { type Random, random } from './random.ts'
import { summary, talk, word } from './words.ts'
import { MILESTONES, VERSIONS, type World } from './world.ts'

const FIELDS = 3
const TALK = 4

const PRIORITIES = { '--': 45, p1: 8, p2: 17, p3: 20, p4: 6, p5: 4 }
const SEVERITIES = { '--': 25, s1: 3, s2: 15, s3: 30, s4: 15, normal: 8, enhancement: 4 }
const TYPES = { defect: 70, enhancement: 20, task: 10 }
const PLATFORMS = { unspecified: 60, all: 15, x86_64: 15, arm: 7, pc: 3 }
const SYSTEMS = { unspecified: 50, windows: 18, linux: 14, macos: 9, android: 6, ios: 3 }

/** The bugs themselves, without anything that hangs on them. */
export function bugLoad(world: World, bugs: Bug[]): Load {
  const columns = [
    ['id', 'base.bug + #'],
    ['alias'],
    ['alias_fold'],
    ['summary'],
    ['summary_fold'],
    ['product_id', 'base.product + #'],
    ['component_id', 'base.component + #'],
    ['version_id', 'base.version + #'],
    ['milestone_id', 'base.milestone + #'],
    ['status_id', choice('bug_status')],
    ['resolution_id', choice('resolution')],
    ['is_confirmed'],
    ['type_id', choice('bug_type')],
    ['priority_id', choice('priority')],
    ['severity_id', choice('bug_severity')],
    ['platform_id', choice('rep_platform')],
    ['op_sys_id', choice('op_sys')],
    ['assigned_to_id', 'base.person + #'],
    ['reporter_id', 'base.person + #'],
    ['qa_contact_id', 'base.person + #'],
    ['dupe_of_id', 'base.bug + #'],
    ['url'],
    ['url_fold'],
    ['whiteboard'],
    ['whiteboard_fold'],
    ['created_at'],
    ['changed_at'],
  ] as const
  return { table: 'bugs', columns, rows: mapped(bugs, (bug) => bugRow(world, bug)) }
}

/** The description and the other comments, with texts. Their attachments must be there. */
export function commentLoad(world: World, bugs: Bug[]): Load {
  return {
    table: 'comments',
    columns: [
      ['bug_id', 'base.bug + #'],
      ['number'],
      ['author_id', 'base.person + #'],
      ['created_at'],
      ['body'],
      ['is_private'],
      ['kind'],
      ['attachment_id', '(SELECT id FROM attachments WHERE object_key = #)'],
      ['related_bug_id', 'base.bug + #'],
    ],
    rows: flat(bugs, (bug) => commentRows(world, bug)),
  }
}

/** The key under which the bytes of an attachment would be. */
export function objectKey(world: World, bug: Bug, attachment: number): string {
  return `generated/s${world.seed}/${bug.place}/${attachment}`
}

/** One row per item, made when it is taken. */
export function* mapped<T>(list: readonly T[], row: (item: T) => Cell[]): Generator<Cell[]> {
  for (const item of list) {
    yield row(item)
  }
}

/** Any number of rows per item, made when they are taken. */
export function* flat<T>(list: readonly T[], rows: (item: T) => Cell[][]): Generator<Cell[]> {
  for (const item of list) {
    yield* rows(item)
  }
}

function choice(field: string): string {
  return `(SELECT id FROM field_values WHERE field_id = (SELECT id FROM fields WHERE name = '${field}') AND name_fold = #)`
}

function bugRow(world: World, bug: Bug): Cell[] {
  const draw = random(world.seed, FIELDS, ...bug.key)
  const title = summary(draw)
  const alias = aliasOf(world, bug, draw)
  const version = bug.product * VERSIONS.length + draw.below(VERSIONS.length)
  const url = draw.chance(0.1) ? `https://example.test/${word(draw)}/${draw.below(1000)}` : ''
  const whiteboard = draw.chance(0.1) ? `[${word(draw)}] ${word(draw)}` : ''
  return [
    ...[bug.place, alias, alias === null ? null : fold(alias), title, fold(title)],
    ...[bug.product, bug.component, version, milestone(bug, draw)],
    ...[fold(bug.status), fold(bug.resolution), Number(bug.isConfirmed)],
    ...[draw.weighed(TYPES), draw.weighed(PRIORITIES), draw.weighed(SEVERITIES)],
    ...[draw.weighed(PLATFORMS), draw.weighed(SYSTEMS)],
    ...[bug.assignee, bug.reporter, bug.qaContact, bug.dupeOf],
    ...[url, fold(url), whiteboard, fold(whiteboard), bug.created, lastChange(bug)],
  ]
}

function aliasOf(world: World, bug: Bug, draw: Random): string | null {
  if (bug.place === 0) {
    return `first-s${world.seed}`
  }
  return draw.chance(0.02) ? `${word(draw)}-${bug.place}-s${world.seed}` : null
}

/** Most bugs that were fixed have a milestone, few others do. */
function milestone(bug: Bug, draw: Random): number {
  const hasOne = draw.chance(bug.resolution === 'FIXED' ? 0.6 : 0.1)
  const chosen = hasOne ? 1 + draw.below(MILESTONES.length - 1) : 0
  return bug.product * MILESTONES.length + chosen
}

function commentRows(world: World, bug: Bug): Cell[][] {
  const draw = random(world.seed, TALK, ...bug.key)
  return bug.said.map((said, number) => [
    ...[bug.place, number, said.by, said.at],
    body(draw, said.kind, number),
    ...[Number(said.isPrivate), said.kind],
    said.attachment === null ? null : objectKey(world, bug, said.attachment),
    said.related,
  ])
}

/** Marking a duplicate says nothing by itself; the service adds its words when it shows the comment. */
function body(draw: Random, kind: string, number: number): string {
  if (kind === 'duplicate_of' || kind === 'has_duplicate') {
    return ''
  }
  return number === 0 ? talk(draw, 3 + draw.below(4)) : talk(draw, 1 + draw.skewed(6))
}
