import { beforeAll, describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../../src/platform/access/caller.ts'
import {
  conditionsOf,
  type Expression,
  type FieldCondition,
} from '../../../../src/tracker/search/expression.ts'
import { isCompiled, readConfiguration, searchIds } from './compiled-search.ts'
import { NOW } from './draw-texts.ts'
import { findBugs } from './evaluate/evaluate.ts'
import { Sight } from './evaluate/sight.ts'
import { insertReef, type Reef } from './reef-world.ts'
import { ATTACHMENT_RULES, FIELD_RULES, LIST_RULES } from './rules/fields.ts'
import { CONTENT_RULES, HISTORY_RULES } from './rules/history.ts'
import { DATE_RULES, PEOPLE_RULES, VISIBILITY_RULES } from './rules/people-and-dates.ts'
import { expectedLetters, type Rule, type Search } from './rules/rule.ts'
import { SAME_ROW_RULES, SEVERAL_RULES } from './rules/several.ts'
import { NUMBER_RULES, TEXT_RULES } from './rules/texts.ts'

/** Rules of searches by example, over bugs whose every value is known. */
const TABLES: Readonly<Record<string, readonly Rule[]>> = {
  'texts are compared': TEXT_RULES,
  'numbers and custom fields are compared': NUMBER_RULES,
  'several values, negation and the unknown': SEVERAL_RULES,
  'conditions on the same row': SAME_ROW_RULES,
  'the history of fields': HISTORY_RULES,
  'words of summaries and comments': CONTENT_RULES,
  'single-valued fields': FIELD_RULES,
  'fields with several values': LIST_RULES,
  'attachments and flags': ATTACHMENT_RULES,
  'people and pronouns': PEOPLE_RULES,
  dates: DATE_RULES,
  'who sees which bugs': VISIBILITY_RULES,
}

function toExpression(search: Search, reef: Reef): Expression {
  if (typeof search === 'string') {
    return reef.condition(search)
  }
  const [kind, ...members] = search
  if (kind === 'sameRow') {
    return {
      kind,
      members: (members as string[]).map((text) => ({
        condition: reef.condition(text.replace(/^!/, '')) as FieldCondition,
        isNegated: text.startsWith('!'),
      })),
    }
  }
  const parts = members.map((member) => toExpression(member, reef))
  const [only = { kind: 'unknown' }] = parts
  return kind === 'not' ? { kind, member: only } : { kind, members: parts }
}

function isCompiledSearch(search: Expression): boolean {
  return conditionsOf(search).every(isCompiled)
}

function describeHits(name: string, search: Search, letters: string): string {
  return `${name}: ${JSON.stringify(search)} finds ${letters}`
}

describe('the rules of searches by example', () => {
  let reef: Reef

  beforeAll(async () => {
    reef = await insertReef()
  })

  function readerOf([name]: Rule) {
    const who = reef.readers.find((one) => one.name === name)
    return who ?? { reader: null, caller: ANONYMOUS }
  }

  test.each(Object.entries(TABLES))('the evaluator agrees: %s', (_, rules) => {
    const found = rules.map((rule) => {
      const sight = new Sight(reef.world, readerOf(rule).reader)
      const ids = findBugs(toExpression(rule[1], reef), sight, NOW)
      return describeHits(rule[0], rule[1], reef.lettersOf(ids))
    })
    expect(found).toEqual(
      rules.map((rule) => describeHits(rule[0], rule[1], expectedLetters(rule))),
    )
  })

  test.each(Object.entries(TABLES))('compiled searches agree: %s', async (_, rules) => {
    const configuration = await readConfiguration()
    const own = new Set(reef.world.bugs.map(({ id }) => id))
    const compiled = rules.filter((rule) => isCompiledSearch(toExpression(rule[1], reef)))
    const found: string[] = []
    for (const rule of compiled) {
      const expression = toExpression(rule[1], reef)
      const { ids, pages } = await searchIds(readerOf(rule).caller, expression, NOW, configuration)
      const ways = [ids, ...pages.map((page) => page.toSorted((a, b) => a - b))].map((list) =>
        reef.lettersOf(list.filter((id) => own.has(id))),
      )
      found.push(describeHits(rule[0], rule[1], [...new Set(ways)].join(' or ')))
    }
    expect(found).toEqual(
      compiled.map((rule) => describeHits(rule[0], rule[1], expectedLetters(rule))),
    )
  })
})
