import { fold } from '../../src/platform/lib/text.ts'
import { type Bug, findLastChange } from './bug.ts'
import { createRandom, type Random } from './random.ts'
import type { Cell, TableInsert } from './table-insert.ts'
import { drawSentences, drawSummary, drawWord } from './words.ts'
import { MILESTONES, VERSIONS, type World } from './world.ts'

const FIELDS = 3
const BODIES = 4

const PRIORITIES = { '--': 45, p1: 8, p2: 17, p3: 20, p4: 6, p5: 4 }
const SEVERITIES = { '--': 25, s1: 3, s2: 15, s3: 30, s4: 15, normal: 8, enhancement: 4 }
const TYPES = { defect: 70, enhancement: 20, task: 10 }
const PLATFORMS = { unspecified: 60, all: 15, x86_64: 15, arm: 7, pc: 3 }
const SYSTEMS = { unspecified: 50, windows: 18, linux: 14, macos: 9, android: 6, ios: 3 }

/** The rows of the bugs alone, without comments, attachments and lists. */
export function bugInsert(world: World, bugs: Bug[]): TableInsert {
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
    ['status_id', selectFieldValue('bug_status')],
    ['resolution_id', selectFieldValue('resolution')],
    ['is_confirmed'],
    ['type_id', selectFieldValue('bug_type')],
    ['priority_id', selectFieldValue('priority')],
    ['severity_id', selectFieldValue('bug_severity')],
    ['platform_id', selectFieldValue('rep_platform')],
    ['op_sys_id', selectFieldValue('op_sys')],
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
  return { table: 'bugs', columns, rows: mapRows(bugs, (bug) => drawBugRow(world, bug)) }
}

/** The description and the other comments, with their texts. Their attachments must be inserted first. */
export function commentInsert(world: World, bugs: Bug[]): TableInsert {
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
    rows: flatMapRows(bugs, (bug) => drawCommentRows(world, bug)),
  }
}

/** The object key of an attachment, whose bytes do not exist. */
export function formatObjectKey(world: World, bug: Bug, attachment: number): string {
  return `generated/s${world.seed}/${bug.index}/${attachment}`
}

/** One row per item, made when it is read. */
export function* mapRows<T>(list: readonly T[], row: (item: T) => Cell[]): Generator<Cell[]> {
  for (const item of list) {
    yield row(item)
  }
}

/** Any number of rows per item, made when they are read. */
export function* flatMapRows<T>(
  list: readonly T[],
  rows: (item: T) => Cell[][],
): Generator<Cell[]> {
  for (const item of list) {
    yield* rows(item)
  }
}

function selectFieldValue(field: string): string {
  return `(SELECT id FROM field_values WHERE field_id = (SELECT id FROM fields WHERE name = '${field}') AND name_fold = #)`
}

function drawBugRow(world: World, bug: Bug): Cell[] {
  const draw = createRandom(world.seed, FIELDS, ...bug.key)
  const title = drawSummary(draw)
  const alias = drawAlias(world, bug, draw)
  const version = bug.product * VERSIONS.length + draw.below(VERSIONS.length)
  const url = draw.chance(0.1) ? `https://example.test/${drawWord(draw)}/${draw.below(1000)}` : ''
  const whiteboard = draw.chance(0.1) ? `[${drawWord(draw)}] ${drawWord(draw)}` : ''
  return [
    ...[bug.index, alias, alias === null ? null : fold(alias), title, fold(title)],
    ...[bug.product, bug.component, version, drawMilestone(bug, draw)],
    ...[fold(bug.status), fold(bug.resolution), Number(bug.isConfirmed)],
    ...[draw.pickWeighted(TYPES), draw.pickWeighted(PRIORITIES), draw.pickWeighted(SEVERITIES)],
    ...[draw.pickWeighted(PLATFORMS), draw.pickWeighted(SYSTEMS)],
    ...[bug.assignee, bug.reporter, bug.qaContact, bug.dupeOf],
    ...[url, fold(url), whiteboard, fold(whiteboard), bug.created, findLastChange(bug)],
  ]
}

function drawAlias(world: World, bug: Bug, draw: Random): string | null {
  if (bug.index === 0) {
    return `first-s${world.seed}`
  }
  return draw.chance(0.02) ? `${drawWord(draw)}-${bug.index}-s${world.seed}` : null
}

/** Most fixed bugs have a milestone, few others do. */
function drawMilestone(bug: Bug, draw: Random): number {
  const hasOne = draw.chance(bug.resolution === 'FIXED' ? 0.6 : 0.1)
  const chosen = hasOne ? 1 + draw.below(MILESTONES.length - 1) : 0
  return bug.product * MILESTONES.length + chosen
}

function drawCommentRows(world: World, bug: Bug): Cell[][] {
  const draw = createRandom(world.seed, BODIES, ...bug.key)
  return bug.comments.map((comment, number) => [
    ...[bug.index, number, comment.by, comment.at],
    drawBody(draw, comment.kind, number),
    ...[Number(comment.isPrivate), comment.kind],
    comment.attachment === null ? null : formatObjectKey(world, bug, comment.attachment),
    comment.related,
  ])
}

/** Comments about duplicates have no text of their own: the service writes it when it presents them. */
function drawBody(draw: Random, kind: string, number: number): string {
  if (kind === 'duplicate_of' || kind === 'has_duplicate') {
    return ''
  }
  return number === 0
    ? drawSentences(draw, 3 + draw.below(4))
    : drawSentences(draw, 1 + draw.skewed(6))
}
