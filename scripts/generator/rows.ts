import { type Bug, findLastChange } from './life.ts'
import { createRandom } from './random.ts'
import type { Cell, Rows } from './tables.ts'
import {
  drawComment,
  drawSentences,
  drawSummary,
  drawTitle,
  drawUrl,
  drawWord,
  retell,
} from './texts.ts'
import { MILESTONES, VERSIONS, type World } from './world.ts'

const DAY = 86_400

/** Where the priority is in the row of a bug; the severity is next. */
const FIRST_RANK = 11

/** The random keys of the texts of a bug. */
const [FIELDS, BODIES, ATTACHMENTS, KEYWORDS, TITLES, TRIAGE, LINKS] = [3, 4, 5, 6, 8, 9, 10]

const PRIORITIES = { '--': 45, p1: 8, p2: 17, p3: 20, p4: 6, p5: 4 }
const SEVERITIES = { '--': 25, s1: 3, s2: 15, s3: 30, s4: 15, normal: 8, enhancement: 4 }
const TYPES = { defect: 70, enhancement: 20, task: 10 }
const PLATFORMS = { unspecified: 60, all: 15, x86_64: 15, arm: 7, pc: 3 }
const SYSTEMS = { unspecified: 50, windows: 18, linux: 14, macos: 9, android: 6, ios: 3 }

const FILES = [
  { ending: 'png', type: 'image/png', isPatch: false },
  { ending: 'txt', type: 'text/plain', isPatch: false },
  { ending: 'diff', type: 'text/plain', isPatch: true },
]

/** Inserts the effective memberships that follow from the direct ones, of everybody in the database. */
export const INSERT_EFFECTIVE_MEMBERSHIPS = `INSERT OR IGNORE INTO memberships (user_id, group_id)
WITH RECURSIVE reached(user_id, group_id) AS (
  SELECT user_id, group_id FROM group_members
  UNION
  SELECT reached.user_id, g.granting_group_id
  FROM reached JOIN group_grants g ON g.member_group_id = reached.group_id AND g.kind = 'membership'
)
SELECT user_id, group_id FROM reached`

/** The people, and the group of the restricted bugs. */
export function listPeopleRows({ seed, start, people, developers, insiders }: World): Rows[] {
  const before = start - 30 * DAY
  const security = `security-s${seed}`
  return [
    ['users', people.map(({ login, realName, nick }, n) => [n, login, realName, nick, before])],
    ['access_groups', [[security, 'Bugs that attackers must not read', before]]],
    ['group_grants', [['membership'], ['bless'], ['visible']]],
    [
      'group_members',
      people.flatMap((_, n) => [
        ...(n < developers ? [[n, 'editbugs']] : []),
        ...(n < insiders ? [[n, 'insider']] : []),
        ...(n < developers && n % 3 === 0 ? [[n, security]] : []),
      ]),
    ],
  ]
}

/** Products with everything that a bug needs, keywords, and the flag type. */
export function listProductRows({ start, products, keywords, flagType }: World): Rows[] {
  const listParts = (names: readonly string[]) =>
    products.flatMap((_, product) =>
      // the first is the default
      names.map((name, n) => [
        ...[product * names.length + n, product, name, n * 10, Number(n === 0)],
      ]),
    )
  return [
    [
      'products',
      products.map(({ name, hasUnconfirmed }, n) => [
        ...[n, name, `All about ${name}`, Number(hasUnconfirmed), start - 20 * DAY],
      ]),
    ],
    ['versions', listParts(VERSIONS)],
    ['milestones', listParts(MILESTONES)],
    [
      'components',
      products.flatMap(({ name: product, firstComponent, components }, at) =>
        components.map(({ name, assignee, qaContact }, n) => [
          ...[firstComponent + n, at, name, `${name} of ${product}`, assignee, qaContact, assignee],
        ]),
      ),
    ],
    ['group_controls', products.map((_, n) => [n])],
    ['keywords', keywords.map((name, n) => [n, name, `Bugs about ${name}`])],
    ['flag_types', [[flagType, 'Somebody has to answer a question']]],
    ['flag_type_scopes', products.map((_, n) => [n])],
  ]
}

/** The bugs alone, without comments, attachments and lists. */
export function listBugRows(world: World, bugs: readonly Bug[]): Rows {
  return ['bugs', eachOf(bugs, (bug) => [drawBugRow(world, bug)])]
}

/** Everything that belongs to bugs, which must be inserted first. Comments refer to attachments. */
export function listBugPartRows(world: World, bugs: readonly Bug[]): Rows[] {
  const rowsOf: { [Table in Rows[0]]?: (bug: Bug) => Cell[][] } = {
    attachments: (bug) => drawAttachmentRows(world, bug),
    comments: (bug) => drawCommentRows(world, bug),
    bug_cc: ({ index, cc }) => [...cc].map((person) => [index, person]),
    bug_keywords: ({ index, key }) => {
      const draw = createRandom(world.seed, KEYWORDS, ...key)
      const length = draw.chance(0.15) ? 1 + draw.below(2) : 0
      const first = draw.below(world.keywords.length)
      return Array.from({ length }, (_, n) => [index, (first + n) % world.keywords.length])
    },
    see_also: ({ index, key }) => {
      const draw = createRandom(world.seed, LINKS, ...key)
      return world.isRealistic && draw.chance(0.03) ? [[index, drawUrl(draw)]] : []
    },
    bug_groups: ({ index, isRestricted }) => (isRestricted ? [[index]] : []),
    dependencies: ({ index, dependsOn }) => [...dependsOn].map((other) => [index, other]),
    flags: ({ index, flag }) =>
      flag === null ? [] : [[index, flag.status, flag.by, flag.requestee, flag.at, flag.at]],
    flag_activity: ({ index, flag }) =>
      flag === null ? [] : [[index, index, flag.status, flag.by, flag.requestee, flag.at]],
    history: (bug) =>
      [...drawTriage(world, bug), ...bug.changes].map(({ by, at, field, removed, added }) => [
        ...[bug.index, by, at, field, removed, added],
      ]),
  }
  const tables = Object.entries(rowsOf) as [Rows[0], (bug: Bug) => Cell[][]][]
  return tables.map(([table, list]) => [table, eachOf(bugs, list)])
}

/** The rows of each bug, made when they are read. */
function* eachOf(bugs: readonly Bug[], list: (bug: Bug) => Cell[][]): Generator<Cell[]> {
  for (const bug of bugs) {
    yield* list(bug)
  }
}

function drawBugRow(world: World, bug: Bug): Cell[] {
  const draw = createRandom(world.seed, FIELDS, ...bug.key)
  const short = drawSummary(draw)
  const title = world.isRealistic ? tellTitle(world, bug) : short
  const drawAlias = () =>
    draw.chance(0.02) ? `${drawWord(draw)}-${bug.index}-s${world.seed}` : null
  const alias = bug.index === 0 ? `first-s${world.seed}` : drawAlias()
  const version = bug.product * VERSIONS.length + draw.below(VERSIONS.length)
  const url = draw.chance(0.1) ? `https://example.test/${drawWord(draw)}/${draw.below(1000)}` : ''
  const whiteboard = draw.chance(0.1) ? `[${drawWord(draw)}] ${drawWord(draw)}` : ''
  // most fixed bugs have a milestone, few others do
  const hasMilestone = draw.chance(bug.resolution === 'FIXED' ? 0.6 : 0.1)
  const milestone = hasMilestone ? 1 + draw.below(MILESTONES.length - 1) : 0
  return [
    ...[bug.index, alias, title],
    ...[bug.product, bug.component, version, bug.product * MILESTONES.length + milestone],
    ...[bug.status.toLowerCase(), bug.resolution.toLowerCase(), Number(bug.isConfirmed)],
    ...[draw.pickWeighted(TYPES), draw.pickWeighted(PRIORITIES), draw.pickWeighted(SEVERITIES)],
    ...[draw.pickWeighted(PLATFORMS), draw.pickWeighted(SYSTEMS)],
    ...[bug.assignee, bug.reporter, bug.qaContact, bug.dupeOf],
    ...[url, whiteboard, bug.created, findLastChange(bug)],
  ]
}

/** A title of its own, or that of the bug that this one reports again, in other words. */
function tellTitle({ seed }: World, { key, retold }: Bug): string {
  const draw = createRandom(seed, TITLES, ...key)
  const told = drawTitle(retold === null ? draw : createRandom(seed, TITLES, ...retold))
  return retold === null ? told : retell(draw, told)
}

/** What the first answer to a report sets right, recorded at its time. */
function drawTriage(world: World, bug: Bug): Bug['changes'] {
  const answer = bug.comments[1]
  if (!world.isRealistic || answer === undefined) {
    return []
  }
  const draw = createRandom(world.seed, TRIAGE, ...bug.key)
  const ranks = drawBugRow(world, bug).slice(FIRST_RANK, FIRST_RANK + 2)
  return ['priority', 'severity'].flatMap((field, n) => {
    const added = String(ranks[n]).replace(/^[ps](?=\d)/, (letter) => letter.toUpperCase())
    const isSet = added !== '--' && draw.chance(0.7)
    return isSet ? [{ at: answer.at, by: bug.assignee, field, removed: '--', added }] : []
  })
}

function drawCommentRows(world: World, bug: Bug): Cell[][] {
  const draw = createRandom(world.seed, BODIES, ...bug.key)
  const drawShort = (number: number) =>
    drawSentences(draw, number === 0 ? 3 + draw.below(4) : 1 + draw.skewed(6))
  const drawBody = (number: number) => (world.isRealistic ? drawComment(draw) : drawShort(number))
  return bug.comments.map(({ by, at, kind, isPrivate, attachment, related }, number) => [
    ...[bug.index, number, by, at],
    // the service writes what tells of duplicates when it presents them
    kind.includes('duplicate') ? '' : drawBody(number),
    ...[Number(isPrivate), kind],
    ...[attachment === null ? null : formatObjectKey(world, bug, attachment), related],
  ])
}

function drawAttachmentRows(world: World, bug: Bug): Cell[][] {
  const draw = createRandom(world.seed, ATTACHMENTS, ...bug.key)
  return bug.comments.flatMap(({ by, at, isPrivate, attachment }) => {
    if (attachment === null) {
      return []
    }
    const { ending, type, isPatch } = draw.pick(FILES)
    const title = `${drawWord(draw)} ${drawWord(draw)}`
    const size = Math.ceil(draw.logNormal(8000))
    const name = `${drawWord(draw)}.${ending}`
    // in place of the SHA-256, because the attachment has no bytes
    const digest = Array.from({ length: 64 }, () => draw.below(16).toString(16)).join('')
    return [
      [
        ...[bug.index, by, at, at, name, title, type, size],
        ...[formatObjectKey(world, bug, attachment), digest, Number(isPrivate), Number(isPatch)],
      ],
    ]
  })
}

function formatObjectKey(world: World, bug: Bug, attachment: number): string {
  return `generated/s${world.seed}/${bug.index}/${attachment}`
}
