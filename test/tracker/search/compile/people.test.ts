import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../../src/platform/access/caller.ts'
import { sql } from '../../../../src/platform/db/sql.ts'
import { isPronoun } from '../../../../src/tracker/search/compile/value-source.ts'
import type { Operator } from '../../../../src/tracker/search/operators.ts'
import { insertBug } from '../../../support/builders/bugs.ts'
import { loadCaller } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { execute } from '../../../support/database/execute.ts'
import { buildCompileContext, findByAllForms } from '../../../support/search-forms.ts'

const alice = await insertPerson()
const bob = await insertPerson({ loginDeniedText: 'gone' })
const { id } = await insertGroup([alice])
const group = uniqueName('The core team ')
await execute(sql`UPDATE access_groups SET name = ${group}, name_fold = ${group.toLowerCase()}
  WHERE id = ${id}`)
const asAlice = await loadCaller(alice)
const asBob = await loadCaller(bob)
const made = [
  await insertBug({ assignee: alice, reporter: bob, qaContact: alice }),
  await insertBug({ assignee: bob, reporter: bob, qaContact: bob }),
  await insertBug({ assignee: bob, reporter: alice }),
]
const ids = made.map((bug) => bug.id)

const fill = (value: string) =>
  value
    .replace('{alice}', alice.login)
    .replace('{bob}', bob.login)
    .replace('{group}', group)
    .replace('{GROUP}', group.toUpperCase())

async function find(
  caller: Caller,
  field: string,
  operator: Operator,
  values: readonly string[],
  hidesDomains = false,
): Promise<number[]> {
  const found = await findByAllForms(
    { kind: 'condition', field, operator, values: values.map(fill), source: field },
    buildCompileContext(caller, { hidesDomains }),
    ids,
  )
  return found.map((id) => ids.indexOf(id))
}

test.each([
  ['%user%', true],
  ['%what%', true],
  ['%group.The core team%', true],
  ['%the core team%', false],
  ['%%', false],
  ['a%user%', false],
  ['%user', false],
])('whether %s stands for people: %s', (value, expected) => {
  expect(isPronoun(value)).toBe(expected)
})

describe('a word for people', () => {
  test.each<[string, Operator, string[], number[]]>([
    ['assigned_to', 'equals', ['%user%'], [0]],
    ['assigned_to', 'equals', ['%self%'], [0]],
    ['assigned_to', 'notequals', ['%user%'], [1, 2]],
    ['assigned_to', 'equals', ['%reporter%'], [1]],
    ['reporter', 'equals', ['%assignee%'], [1]],
    ['assigned_to', 'notequals', ['%reporter%'], [0, 2]],
    ['assigned_to', 'equals', ['%qacontact%'], [0, 1]],
    ['assigned_to', 'notequals', ['%qacontact%'], [2]],
    ['assigned_to', 'equals', ['%triageowner%'], []],
    ['assigned_to', 'equals', ['%group.{group}%'], [0]],
    ['assigned_to', 'equals', ['%group.{GROUP}%'], [0]],
    ['assigned_to', 'notequals', ['%group.{group}%'], [1, 2]],
    ['qa_contact', 'notequals', ['%group.{group}%'], [1, 2]],
    ['assigned_to', 'anyexact', ['%user%', '{bob}'], [0, 1, 2]],
    ['assigned_to', 'anyexact', ['%what%', '{bob}'], [1, 2]],
    ['assigned_to', 'equals', ['%USER%'], []],
    ['assigned_to', 'notequals', ['%USER%'], []],
  ])('in %s %s %j', async (field, operator, values, expected) => {
    expect(await find(asAlice, field, operator, values)).toEqual(expected)
  })

  test.each<Operator>(['equals', 'notequals'])(
    'is unknown with %s for a foreign or missing group, and for nobody',
    async (operator) => {
      for (const value of ['%group.{group}%', '%group.no such group%']) {
        expect(await find(asBob, 'assigned_to', operator, [value])).toEqual([])
        expect(await find(ANONYMOUS, 'assigned_to', operator, [value])).toEqual([])
      }
      expect(await find(ANONYMOUS, 'assigned_to', operator, ['%user%'])).toEqual([])
    },
  )

  test('beside a foreign group still counts', async () => {
    const values = ['%group.{group}%', '%user%']
    expect(await find(asBob, 'assigned_to', 'anyexact', values)).toEqual([1, 2])
  })
})

describe('domains of logins', () => {
  test.each<[Operator, string, number[], number[]]>([
    ['substring', 'example.test', [0, 1, 2], []],
    ['substring', '@', [0, 1, 2], []],
    ['notsubstring', 'example.test', [], [0, 1, 2]],
    ['anywords', 'example', [0, 1, 2], []],
    ['casesubstring', 'example.test', [0, 1, 2], []],
    ['substring', '{alice}', [0], []],
    ['substring', 'person', [0, 1, 2], [0, 1, 2]],
    ['equals', '{alice}', [0], [0]],
    ['anyexact', '{alice}', [0], [0]],
    ['notequals', '{alice}', [1, 2], [1, 2]],
  ])('%s %s finds %j where they are seen, and %j where not', async (operator, value, ...found) => {
    expect(await find(asAlice, 'assigned_to', operator, [value])).toEqual(found[0])
    expect(await find(ANONYMOUS, 'assigned_to', operator, [value], true)).toEqual(found[1])
  })
})

test('accounts are disabled or enabled, and nobody is neither', async () => {
  expect(await find(ANONYMOUS, 'qa_contact', 'isdisabled', [])).toEqual([1])
  expect(await find(ANONYMOUS, 'qa_contact', 'isnotdisabled', [])).toEqual([0])
  expect(await find(ANONYMOUS, 'qa_contact', 'isempty', [])).toEqual([2])
})
