import { beforeAll, describe, expect, test } from 'vitest'
import type { Expression, FieldCondition } from '../../../src/search/expression.ts'
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

describe('the evaluator agrees with the rules of searches by example', () => {
  let reef: Reef

  beforeAll(async () => {
    reef = await insertReef()
  })

  test.each(Object.entries(TABLES))('%s', (_, rules) => {
    const found = rules.map(([name, search]) => {
      const reader = reef.readers.find((one) => one.name === name)?.reader ?? null
      const ids = findBugs(toExpression(search, reef), new Sight(reef.world, reader), NOW)
      return `${name}: ${JSON.stringify(search)} finds ${reef.lettersOf(ids)}`
    })
    const expected = rules.map(
      (rule) => `${rule[0]}: ${JSON.stringify(rule[1])} finds ${expectedLetters(rule)}`,
    )
    expect(found).toEqual(expected)
  })
})
