import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import type { WorldBug } from '../world.ts'
import { readDate, startOfDay, textOfMoment } from './dates.ts'
import type { Field, Value } from './fields.ts'
import { isPronoun, peopleOfPronoun } from './people.ts'
import type { Sight } from './sight.ts'
import {
  compareTexts,
  hasText,
  hasWholeWord,
  isSameText,
  readPattern,
  splitWords,
} from './texts.ts'

/** Everything that a comparison may depend on beside the value. */
export type Comparison = {
  readonly name: string
  readonly field: Field
  readonly operator: Operator
  readonly operands: readonly string[]
  readonly bug: WorldBug
  readonly sight: Sight
  readonly now: number
}

type Test = (value: Value) => boolean

/**
 * The tests of a positive operator, all of which must hold: for some value each in a set, for one value
 * together else. Null when the operand is invalid.
 */
export function testsOf(about: Comparison): readonly Test[] | null {
  const { field, operator, operands } = about
  const [operand = ''] = operands
  if (field.kind === 'person' && operands.some(isPronoun)) {
    return asList(testPeople(about))
  }
  switch (operator) {
    case 'equals':
      return asList(testEquality(about, operand))
    case 'anyexact':
      return asList(testEach(about))
    case 'lessthan':
    case 'lessthaneq':
    case 'greaterthan':
    case 'greaterthaneq':
      return asList(testOrder(about, operand))
    case 'isnotempty':
      return [(value) => isPresent(about, value)]
    case 'isdisabled':
      return [(value) => isDisabled(about, value) === true]
    case 'isnotdisabled':
      return [(value) => isDisabled(about, value) === false]
    default:
      return testTexts(about, operand)
  }
}

function asList(test: Test | null): Test[] | null {
  return test === null ? null : [test]
}

/** A login may stand beside pronouns in a list only. */
function testPeople(about: Comparison): Test | null {
  const tests = about.operands.map((operand): Test | null => {
    if (!isPronoun(operand)) {
      return testEquality(about, operand)
    }
    const people = peopleOfPronoun(operand, about.bug, about.sight)
    return people && ((value) => value.kind === 'person' && people.has(value.id ?? 0))
  })
  return anyValid(tests)
}

function testEach(about: Comparison): Test | null {
  return anyValid(about.operands.map((operand) => testEquality(about, operand)))
}

/** Elements that are invalid do not count, unless all are. */
function anyValid(tests: readonly (Test | null)[]): Test | null {
  const valid = tests.filter((test) => test !== null)
  return valid.length === 0 ? null : (value) => valid.some((test) => test(value))
}

function testEquality(about: Comparison, operand: string): Test | null {
  const { field } = about
  switch (field.kind) {
    case 'number': {
      const number = readNumber(operand)
      return number === null ? null : (value) => value.kind === 'number' && value.number === number
    }
    case 'moment': {
      const moment = readMoment(about, operand)
      return moment === null ? null : (value) => value.kind === 'moment' && value.at === moment
    }
    default:
      return (value) => isSameText(textOf(about, value), operand) || isNamed(about, value, operand)
  }
}

/** The ways to name a value other than by its text. */
function isNamed({ name, bug }: Comparison, value: Value, operand: string): boolean {
  const text = value.kind === 'text' ? value.text : ''
  switch (name) {
    case 'resolution':
      return operand === '---' && text === ''
    case 'component':
      return isSameText(`${bug.product} :: ${bug.component}`, operand)
    case 'bug_group':
      return isSameText(`%group.${text}%`, operand)
    default:
      return false
  }
}

function testOrder(about: Comparison, operand: string): Test | null {
  const { field, operator } = about
  const isWanted = (difference: number) =>
    operator === 'lessthan'
      ? difference < 0
      : operator === 'lessthaneq'
        ? difference <= 0
        : operator === 'greaterthan'
          ? difference > 0
          : difference >= 0
  switch (field.kind) {
    case 'number': {
      const limit = readNumber(operand)
      return limit === null
        ? null
        : (value) => value.kind === 'number' && isWanted(value.number - limit)
    }
    case 'moment': {
      const limit = readMoment(about, operand)
      return limit === null
        ? null
        : (value) => {
            const at = value.kind === 'moment' ? (value.at ?? field.unsetMoment ?? null) : null
            return at !== null && isWanted(at - limit)
          }
    }
    default:
      return (value) => isWanted(compareTexts(textOf(about, value), operand))
  }
}

/** What operators on texts see: one test for each word of a word operator. */
function testTexts(about: Comparison, operand: string): readonly Test[] | null {
  const onText =
    (test: (text: string) => boolean): Test =>
    (value) =>
      test(textOf(about, value))
  const words = splitWords(operand)
  switch (about.operator) {
    case 'substring':
      return [onText((text) => hasText(text, operand)), ...definedKeyword(about, operand)]
    case 'casesubstring':
      return [onText((text) => text.includes(operand))]
    case 'regexp': {
      const pattern = readPattern(operand)
      return pattern && [onText((text) => pattern.test(text))]
    }
    case 'anywordssubstr':
      return words.length === 0
        ? null
        : [onText((text) => words.some((word) => hasText(text, word)))]
    case 'anywords':
      return words.length === 0
        ? null
        : [onText((text) => words.some((word) => hasWholeWord(text, word)))]
    case 'allwordssubstr':
      return words.length === 0 ? null : words.map((word) => onText((text) => hasText(text, word)))
    case 'allwords':
      return words.length === 0
        ? null
        : words.map((word) => onText((text) => hasWholeWord(text, word)))
    default:
      throw new Error(`${about.operator} is no operator on values`)
  }
}

/** The word of a quicksearch must be a keyword itself. */
function definedKeyword({ name, sight }: Comparison, operand: string): Test[] {
  const isDefined = sight.world.keywords.some((keyword) => isSameText(keyword, operand))
  return name === 'defined_keyword' ? [() => isDefined] : []
}

function isPresent({ field }: Comparison, value: Value): boolean {
  if (field.shape !== 'one') {
    return !field.needsText || (value.kind === 'text' && value.text !== '')
  }
  switch (value.kind) {
    case 'text':
      return value.text !== (field.unsetText ?? '')
    case 'number':
      return value.isSet ?? value.number !== 0
    case 'moment':
      return value.at !== null
    case 'person':
      return value.id !== null
  }
}

function isDisabled({ sight }: Comparison, value: Value): boolean | undefined {
  const id = value.kind === 'person' ? value.id : null
  return sight.world.people.find((person) => person.id === id)?.isDisabled
}

function textOf({ sight }: Comparison, value: Value): string {
  switch (value.kind) {
    case 'text':
      return value.text
    case 'number':
      return value.text ?? String(value.number)
    case 'moment':
      return value.at === null ? '' : textOfMoment(value.at)
    case 'person':
      return sight.world.people.find(({ id }) => id === value.id)?.login ?? ''
  }
}

function readNumber(operand: string): number | null {
  return /^[+-]?\d+(?:\.\d+)?$/.test(operand) ? Number(operand) : null
}

function readMoment({ name, field, bug, now }: Comparison, operand: string): number | null {
  if (name === 'last_visit_ts' && operand === '%last_changed%') {
    return bug.changedAt
  }
  const moment = readDate(operand, now)
  return moment !== null && field.isDay ? startOfDay(moment) : moment
}
