import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { components } from '../../../platform/db/schema/components.ts'
import { groups, memberships } from '../../../platform/db/schema/groups.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, anyOf, flatSelect, sql } from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { FieldCondition } from '../expression.ts'
import type { RowOperator } from '../operators.ts'
import type { CompileContext } from './compile-context.ts'
import { type TextOperand, testValue } from './value-test.ts'

const u = aliasColumns(users, 'u')
const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groups, 'g')

/** A test of one row of a field. */
export type RowTest = {
  readonly condition: SQL
  /** It compares with another value of the bug, so that it cannot run once for all bugs. */
  readonly dependsOnBug: boolean
  /** The test is unknown unless this holds: a group of which the caller is no member. */
  readonly isKnown?: SQL
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
    return { condition: sql`${person} IS NOT NULL`, dependsOnBug: false }
  }
  if (operator === 'isdisabled' || operator === 'isnotdisabled') {
    const isDisabled = sql`(SELECT ${u.loginDeniedText} <> '' FROM users u WHERE ${u.id} = ${person})`
    return operator === 'isdisabled'
      ? { condition: isDisabled, dependsOnBug: false }
      : { condition: sql`NOT ${isDisabled}`, dependsOnBug: false }
  }
  const pronouns = condition.values.filter(isPronoun)
  const logins = condition.values.filter((value) => !isPronoun(value))
  const tests = [
    ...pronouns.map((pronoun) => testPronoun(person, pronoun, context)),
    ...(logins.length === 0
      ? []
      : [testLogin(person, operator, withValues(condition, logins), context)]),
  ].filter((test) => test !== null)
  return tests.length === 0 ? null : anyTest(tests)
}

/** The condition itself where it keeps its values: the matches of its regular expression are known by it. */
function withValues(condition: FieldCondition, values: readonly string[]): FieldCondition {
  return values.length === condition.values.length ? condition : { ...condition, values }
}

/** Elements that are not known count only when no other one is. */
function anyTest(tests: readonly RowTest[]): RowTest {
  const known = tests.flatMap(({ isKnown }) => isKnown ?? [])
  return {
    condition: anyOf(tests.map(({ condition }) => condition)),
    dependsOnBug: tests.some(({ dependsOnBug }) => dependsOnBug),
    ...(known.length === tests.length && { isKnown: anyOf(known) }),
  }
}

/**
 * Whether a text is `%…%`, which stands for people and is no login. Case counts; names of groups have
 * blanks.
 */
export function isPronoun(value: string): boolean {
  return /^%(?:[^%\s]+|group\.[^%]+)%$/.test(value)
}

function testLogin(
  person: SQL,
  operator: RowOperator,
  condition: FieldCondition,
  context: CompileContext,
): RowTest | null {
  const operand = loginOperand(operator, context)
  const matches = context.patternMatches.get(condition)
  const test =
    operator === 'regexp'
      ? matches === undefined
        ? null
        : matches(u.id)
      : testValue(
          operand,
          operator,
          condition.values.filter((value) => !isPronoun(value)),
          context.now,
        )
  if (test === null) {
    return null
  }
  // an index has the bugs of one person in the order of their IDs, but not those of several
  const isOne = (operator === 'equals' || operator === 'anyexact') && condition.values.length === 1
  const people = flatSelect(sql`SELECT ${u.id} FROM users u WHERE ${test}`)
  const found = isOne ? sql`${person} = (${people})` : sql`${person} IN (${people})`
  // an unset person counts as the empty text, which only `less than` matches
  const isLess = operator === 'lessthan' || operator === 'lessthaneq'
  return {
    condition: isLess ? sql`(${person} IS NULL OR ${found})` : found,
    dependsOnBug: false,
  }
}

/** Whoever does not know the domains of logins finds no more by them than by whole logins. */
export function loginOperand(operator: RowOperator, { hidesDomains }: CompileContext): TextOperand {
  const isWhole = operator === 'equals' || operator === 'anyexact'
  const shown = (login: SQL) =>
    hidesDomains && !isWhole
      ? sql`substr(${login}, 1, iif(instr(${login}, '@') > 0, instr(${login}, '@') - 1, length(${login})))`
      : login
  return { kind: 'text', folded: shown(u.loginFold), original: shown(u.login) }
}

function testPronoun(person: SQL, pronoun: string, context: CompileContext): RowTest | null {
  const ofBug = OF_BUG[pronoun]
  if (ofBug !== undefined) {
    return { condition: sql`${person} = ${ofBug}`, dependsOnBug: true }
  }
  const { caller } = context
  if (caller.kind !== 'person') {
    return null
  }
  if (pronoun === '%user%' || pronoun === '%self%') {
    return { condition: sql`${person} = ${caller.id}`, dependsOnBug: false }
  }
  const [, group] = /^%group\.(.+)%$/.exec(pronoun) ?? []
  if (group === undefined) {
    return null
  }
  const isMember = sql`EXISTS (SELECT 1 FROM access_groups g JOIN memberships m ON ${m.groupId} = ${g.id}
    WHERE ${g.nameFold} = ${fold(group)} AND ${m.userId} = ${caller.id})`
  const members = sql`SELECT ${m.userId} FROM access_groups g JOIN memberships m ON ${m.groupId} = ${g.id}
    WHERE ${g.nameFold} = ${fold(group)} AND ${isMember}`
  return {
    condition: sql`${person} IN (${members})`,
    dependsOnBug: false,
    isKnown: isMember,
  }
}

const OF_BUG: Readonly<Record<string, SQL>> = {
  '%reporter%': sql`${bugs.reporterId}`,
  '%assignee%': sql`${bugs.assignedToId}`,
  '%qacontact%': sql`${bugs.qaContactId}`,
  '%triageowner%': sql`(SELECT ${components.triageOwnerId} FROM components WHERE ${components.id} = ${bugs.componentId})`,
}
