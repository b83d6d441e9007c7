import type { Random } from '../../../../scripts/generator/random.ts'
import type { FieldCondition } from '../../../../src/tracker/search/expression.ts'
import { kindOfOperator, type Operator } from '../../../../src/tracker/search/operators.ts'
import { DAY, NOW } from './draw-texts.ts'
import { textOfMoment } from './evaluate/dates.ts'
import { findField, type Value } from './evaluate/fields.ts'
import { changesOf } from './evaluate/history.ts'
import { Sight } from './evaluate/sight.ts'
import type { Reader, World } from './world.ts'

const HOSTILE = [
  ...['%', '_', '*', '"', "'; DROP TABLE bugs; --", '\\', 'a\0b', '🐙', '[a', '?', '"a', '--'],
  ...['x'.repeat(60), 'nothing', '{"a":1}', '$.p', 'NULL', 'ü'.repeat(30)],
]
const NUMBERS = ['0', '1', '2', '3', '-1', '2.5', '100', 'abc', '1e3x', '9999999999']
const RELATIVE = ['-7d', '30d', '+1d', '0d', '-2ws', '1m', '-1ms', 'now', '-1y', '12h', '3W']
const NO_DATES = ['2025-02-30', 'yesterday', '2025-06-01 25:00:00', '7', '%user%']
const PATTERNS = ['^.', 'a.*e', '[a-c]r', 'cr(a|u)sh', '^(?:P1|S2)$', 'x+y|leak', '\\d', 'ö', '5%$']
const NO_PATTERNS = ['(', '[a', 'a{2,1}', '*', 'a'.repeat(300)]
const PRONOUNS = [
  ...['%user%', '%self%', '%reporter%', '%assignee%', '%qacontact%', '%triageowner%'],
  ...['%USER%', '%nobody%', '%group.nothing%'],
]

/** Draws a text to compare a field with: mostly one that some bug has or nearly has. */
export function drawValue(
  r: Random,
  { field, operator }: Pick<FieldCondition, 'field' | 'operator'>,
  world: World,
  reader: Reader,
): string {
  const drawn =
    kindOfOperator(operator) === 'change'
      ? drawOfHistory(r, field, operator, world)
      : drawOfField(r, field, operator, world, reader)
  const trimmed = drawn.trim()
  return trimmed === '' ? 'x' : trimmed
}

function drawOfField(
  r: Random,
  field: string,
  operator: Operator,
  world: World,
  reader: Reader,
): string {
  if (field === 'content') {
    return drawContent(r, world)
  }
  if (field === 'owner_idle_time') {
    return drawDate(r, [])
  }
  const kind = kindOfOperator(operator)
  if (kind === 'pattern') {
    return r.pick(r.chance(0.85) ? PATTERNS : NO_PATTERNS)
  }
  const known = findField(field, world)
  const values = knownValues(field, world)
  const isExact = kind === 'order' || kind === 'list' || ['equals', 'notequals'].includes(operator)
  if (known.kind === 'moment' && isExact) {
    const isVisit = field === 'last_visit_ts' && r.chance(0.3)
    return isVisit ? '%last_changed%' : drawDate(r, values.flatMap(momentOf))
  }
  if (known.kind === 'number' && isExact) {
    return drawNumber(r, values)
  }
  if (known.kind === 'person' && kind !== 'order' && r.chance(0.4)) {
    return r.pick([...PRONOUNS, ...world.groups.map(({ name }) => `%group.${name}%`)])
  }
  const exact = isExact && r.chance(0.8)
  return drawOfTexts(r, textsOf(values, world, reader), kind, exact)
}

function knownValues(field: string, world: World): Value[] {
  const insider = world.people.find(({ roles }) => roles.includes('admin')) ?? null
  const sight = new Sight(world, insider)
  return world.bugs.flatMap((bug) => findField(field, world).read(bug, sight, NOW) ?? [])
}

function momentOf(value: Value): number[] {
  return value.kind === 'moment' && value.at !== null ? [value.at] : []
}

function textsOf(values: readonly Value[], world: World, reader: Reader): string[] {
  return values.map((value) => textOf(value, world, reader))
}

function textOf(value: Value, { people }: World, reader: Reader): string {
  switch (value.kind) {
    case 'text':
      return value.text
    case 'number':
      return value.text ?? String(value.number)
    case 'moment':
      return value.at === null ? '' : textOfMoment(value.at)
    case 'person':
      return people.find(({ id }) => id === value.id)?.login ?? reader?.login ?? ''
  }
}

function drawOfTexts(r: Random, texts: readonly string[], kind: string, isWhole: boolean): string {
  const text = r.chance(0.85) && texts.length > 0 ? r.pick(texts) : r.pick(HOSTILE)
  const other = texts.length > 0 ? r.pick(texts) : r.pick(HOSTILE)
  const recased = r.chance(0.3) ? (r.chance(0.5) ? text.toUpperCase() : text.toLowerCase()) : text
  if (isWhole) {
    return recased
  }
  const characters = [...recased]
  const from = r.below(Math.max(1, characters.length))
  const slice = characters.slice(from, from + 1 + r.below(6)).join('')
  const words = [...recased.split(/[ @]/), ...other.split(/[ @]/)].filter((word) => word !== '')
  const isWords = kind === 'words' && words.length > 0
  return isWords
    ? `${r.pick(words)}${r.pick([' ', ',', ', '])}${r.chance(0.5) ? r.pick(words) : slice}`
    : r.pick([recased, slice, slice, words[0] ?? slice])
}

function drawNumber(r: Random, values: readonly Value[]): string {
  const numbers = values.flatMap((value) => (value.kind === 'number' ? [value.number] : []))
  return r.chance(0.6) && numbers.length > 0
    ? String(r.pick(numbers) + r.pick([0, 0, 0, 1, -1]))
    : r.pick(NUMBERS)
}

/** The moments, their days, forms of them, and others. */
function drawDate(r: Random, moments: readonly number[]): string {
  const moment = r.chance(0.6) && moments.length > 0 ? r.pick(moments) : NOW - r.below(90 * DAY)
  const text = textOfMoment(moment + r.pick([0, 0, 1, -1]))
  return r.pick([
    text,
    text.slice(0, 10),
    text.slice(0, 16),
    `${text.replace(' ', 'T')}Z`,
    `${text.replace(' ', 'T')}+02:00`,
    `${text.slice(0, 10).replaceAll('-', '')}T${text.slice(11)}`,
    r.pick(RELATIVE),
    r.pick(RELATIVE),
    r.chance(0.3) ? r.pick(NO_DATES) : text,
  ])
}

function drawOfHistory(r: Random, field: string, operator: Operator, world: World): string {
  const insider = world.people.find(({ roles }) => roles.includes('admin')) ?? null
  const sight = new Sight(world, insider)
  const changes = world.bugs.flatMap((bug) => changesOf(field, bug, sight))
  switch (operator) {
    case 'changedby':
      return r.pick([...PRONOUNS, 'nobody@x.test', ...world.people.map(({ login }) => login)])
    case 'changedbefore':
    case 'changedafter':
      return drawDate(
        r,
        changes.map(({ at }) => at),
      )
    default: {
      const texts = changes.flatMap(({ removed, added }) => [removed ?? '', added ?? ''])
      return drawOfTexts(r, texts.length > 0 ? texts : ['FIXED'], 'text', r.chance(0.8))
    }
  }
}

/** Words of the summaries, with signs, as phrases and as beginnings of words. */
function drawContent(r: Random, world: World): string {
  const { summary, comments } = r.pick(world.bugs)
  const words = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const own = words(`${summary} ${r.pick(comments).body} crash`)
  const phrase = () => `"${own.slice(0, 2).join(' ')}"`
  const term = () =>
    r.pick([
      () => r.pick(own),
      () => r.pick(own).toUpperCase(),
      () => `${[...r.pick(own)].slice(0, 3).join('')}*`,
      phrase,
    ])()
  const sign = () => r.pick(['', '', '', '+', '-'])
  return Array.from({ length: 1 + r.below(3) }, () => `${sign()}${term()}`).join(' ')
}
