import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { groups, memberships } from '../../../platform/db/schema/groups.ts'
import { components } from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, allOf, anyOf, flatSelect, sql } from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { CompileContext } from '../context.ts'
import type { FieldCondition } from '../expression.ts'
import { comparesWhole, type RowOperator } from '../operators.ts'
import { type Operand, type TextOperand, textOperand } from './operand.ts'
import { testValue } from './value-test.ts'

/** Where the value of a row comes from. */
export type ValueSource =
  /** The row holds it; `key` identifies the row. */
  | {
      readonly kind: 'own'
      readonly operand: Operand
      readonly key: SQL
      /** Puts a test of the operand where the operand has its meaning; absent for anywhere. */
      readonly within?: (test: SQL) => SQL
    }
  /** The row refers to something with a name, such as a keyword: the names are tested, then the reference. */
  | {
      readonly kind: 'named'
      readonly reference: SQL
      /** The FROM clause of the names, and the ID among them. */
      readonly from: SQL
      readonly id: SQL
      /** What identifies a name for regular expressions, where `id` is more than one column. */
      readonly key?: SQL
      readonly operand: Operand
      /** Only these names, such as the values of one field. */
      readonly where?: SQL
      /** At most one of the names equals a text. */
      readonly isUnique?: boolean
      /** Texts with a special meaning where whole names are compared. */
      readonly special?: (value: string) => SQL | undefined
    }
  /** The row refers to a person, or to nobody with NULL. */
  | { readonly kind: 'person'; readonly person: SQL }

export type NamedSource = ValueSource & { readonly kind: 'named' }

export type NameTable = { readonly id: SQL; readonly name: SQL; readonly nameFold: SQL }

export function namedSource(
  reference: SQL,
  from: SQL,
  { id, name, nameFold }: NameTable,
): NamedSource {
  return { kind: 'named', reference, from, id, operand: textOperand(nameFold, name) }
}

/** The condition that the value meets an operator that is no negation; null when it is unknown. */
export function testSource(
  source: ValueSource,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  switch (source.kind) {
    case 'person':
      return testPerson(source.person, operator, condition, context)
    case 'own': {
      const test = testOperand(source.operand, source.key, operator, condition, context)
      return test && { condition: source.within?.(test) ?? test }
    }
    case 'named': {
      const test = testName(source, operator, condition, context)
      return test && { condition: referenceCondition(source, operator, condition, test) }
    }
  }
}

function testName(
  { operand, id, key = id, special = () => undefined }: NamedSource,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): SQL | null {
  const meaningOf = (value: string) => (comparesWhole(operator) ? special(value) : undefined)
  const meanings = condition.values.flatMap((value) => meaningOf(value) ?? [])
  const names = condition.values.filter((value) => meaningOf(value) === undefined)
  const test =
    names.length === 0 && meanings.length > 0
      ? null
      : testOperand(operand, key, operator, withValues(condition, names), context)
  const all = test === null ? meanings : [...meanings, test]
  return all.length === 0 ? null : anyOf(all)
}

/** The condition itself where it keeps its values: the matches of its regular expression are known by it. */
function withValues(condition: FieldCondition, values: readonly string[]): FieldCondition {
  return values.length === condition.values.length ? condition : { ...condition, values }
}

function testOperand(
  operand: Operand,
  key: SQL,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): SQL | null {
  return operator === 'regexp'
    ? (context.patternMatches.get(condition)?.test(key) ?? null)
    : testValue(operand, operator, condition.values, context.now)
}

/** Equality with one ID lets one index serve the search and its order. */
function referenceCondition(
  { reference, from, id, where, isUnique }: NamedSource,
  operator: RowOperator,
  condition: FieldCondition,
  test: SQL,
): SQL {
  const found = sql`SELECT ${id} FROM ${from} WHERE ${where ?? sql`1`} AND ${test}`
  return isUnique && isEquality(operator, condition)
    ? sql`${reference} = (${found})`
    : sql`${reference} IN (${flatSelect(found)})`
}

/** Whether a condition asks for one value. */
export function isEquality(operator: RowOperator, { values }: FieldCondition): boolean {
  const [only = '', ...others] = values
  return comparesWhole(operator) && others.length === 0 && !only.startsWith('__')
}

const u = aliasColumns(users, 'u')
const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groups, 'g')

/** A test of one row of a field. */
export type RowTest = {
  readonly condition: SQL
  /** It compares with another value of the bug, so that it cannot run once for all bugs. */
  readonly dependsOnBug?: boolean
  /** The test is unknown unless this holds: a group of which the caller is no member. */
  readonly isKnown?: SQL | undefined
}

/** The test that all hold, each perhaps negated; null where one is unknown. */
export function allTests(
  tests: readonly { readonly test: RowTest | null; readonly isNegated: boolean }[],
): RowTest | null {
  const valid = tests.flatMap(({ test, isNegated }) =>
    test === null || !isNegated
      ? (test ?? [])
      : { ...test, condition: sql`NOT coalesce((${test.condition}), 0)` },
  )
  const known = valid.flatMap(({ isKnown }) => isKnown ?? [])
  return valid.length < tests.length
    ? null
    : {
        condition: allOf(valid.map(({ condition }) => condition)),
        dependsOnBug: valid.some(({ dependsOnBug }) => dependsOnBug),
        isKnown: known.length > 0 ? allOf(known) : undefined,
      }
}

/**
 * The condition that `person`, the ID of a person or NULL, meets an operator that is no negation; null when it is
 * unknown. The condition may be NULL for nobody, which counts as false. A pronoun stands for one person
 * or the members of a group.
 */
export function testPerson(
  person: SQL,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  if (operator === 'isnotempty') {
    return { condition: sql`${person} IS NOT NULL` }
  }
  if (operator === 'isdisabled' || operator === 'isnotdisabled') {
    const isDisabled = sql`(SELECT ${u.loginDeniedText} <> '' FROM users u WHERE ${u.id} = ${person})`
    return { condition: operator === 'isdisabled' ? isDisabled : sql`NOT ${isDisabled}` }
  }
  const pronouns = condition.values.filter(isPronoun)
  const logins = condition.values.filter((value) => !isPronoun(value))
  const login =
    logins.length === 0 ? null : testLogin(person, operator, withValues(condition, logins), context)
  const tests = [...pronouns.map((pronoun) => testPronoun(person, pronoun, context)), login].filter(
    (test) => test !== null,
  )
  return tests.length === 0 ? null : anyTest(tests)
}

/** Elements that are not known count only when no other one is. */
function anyTest(tests: readonly RowTest[]): RowTest {
  const known = tests.flatMap(({ isKnown }) => isKnown ?? [])
  return {
    condition: anyOf(tests.map(({ condition }) => condition)),
    dependsOnBug: tests.some(({ dependsOnBug }) => dependsOnBug),
    isKnown: known.length === tests.length ? anyOf(known) : undefined,
  }
}

/** Whether a text is a pronoun, `%…%`, and no login. Case counts; names of groups have blanks. */
export function isPronoun(value: string): boolean {
  return /^%(?:[^%\s]+|group\.[^%]+)%$/.test(value)
}

function testLogin(
  person: SQL,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  const test = testOperand(loginOperand(operator, context), u.id, operator, condition, context)
  if (test === null) {
    return null
  }
  // an index has the bugs of one person in the order of their IDs, but not those of several
  const isOne = comparesWhole(operator) && condition.values.length === 1
  const people = flatSelect(sql`SELECT ${u.id} FROM users u WHERE ${test}`)
  const found = isOne ? sql`${person} = (${people})` : sql`${person} IN (${people})`
  // an unset person counts as the empty text
  const hasNobody =
    operator === 'regexp'
      ? context.patternMatches.get(condition)?.hasEmpty === true
      : operator === 'lessthan' || operator === 'lessthaneq'
  return { condition: hasNobody ? sql`(${person} IS NULL OR ${found})` : found }
}

/** Callers who do not see the domains of logins find no more by them than by whole logins. */
export function loginOperand(operator: RowOperator, { hidesDomains }: CompileContext): TextOperand {
  const shown = (login: SQL) =>
    hidesDomains && !comparesWhole(operator)
      ? sql`substr(${login}, 1, iif(instr(${login}, '@') > 0, instr(${login}, '@') - 1, length(${login})))`
      : login
  return textOperand(shown(u.loginFold), shown(u.login))
}

function testPronoun(person: SQL, pronoun: string, context: CompileContext): RowTest | null {
  const ofBug = OF_BUG.get(pronoun)
  if (ofBug !== undefined) {
    return { condition: sql`${person} = ${ofBug}`, dependsOnBug: true }
  }
  const { caller } = context
  if (caller.kind !== 'person') {
    return null
  }
  if (pronoun === '%user%' || pronoun === '%self%') {
    return { condition: sql`${person} = ${caller.id}` }
  }
  const [, group] = /^%group\.(.+)%$/.exec(pronoun) ?? []
  if (group === undefined) {
    return null
  }
  const isMember = sql`EXISTS (SELECT 1 FROM access_groups g JOIN memberships m ON ${m.groupId} = ${g.id}
    WHERE ${g.nameFold} = ${fold(group)} AND ${m.userId} = ${caller.id})`
  const members = sql`SELECT ${m.userId} FROM access_groups g JOIN memberships m ON ${m.groupId} = ${g.id}
    WHERE ${g.nameFold} = ${fold(group)} AND ${isMember}`
  return { condition: sql`${person} IN (${members})`, isKnown: isMember }
}

const OF_BUG: ReadonlyMap<string, SQL> = new Map([
  ['%reporter%', sql`${bugs.reporterId}`],
  ['%assignee%', sql`${bugs.assignedToId}`],
  ['%qacontact%', sql`${bugs.qaContactId}`],
  [
    '%triageowner%',
    sql`(SELECT ${components.triageOwnerId} FROM components WHERE ${components.id} = ${bugs.componentId})`,
  ],
])
