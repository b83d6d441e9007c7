import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { readBatch } from '../../../../src/platform/db/read-batch.ts'
import {
  indexPeople,
  type LoadedValue,
  requireChoice,
  requireDefault,
  requirePerson,
  selectChoices,
  selectPeopleByLogin,
  selectStatuses,
  selectValuesNamed,
} from '../../../../src/tracker/bugs/model/field-values.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'
import { execute } from '../../../support/database/execute.ts'
import { onPrimary } from '../../../support/database/statements.ts'

const VALUES: LoadedValue[] = [
  { id: 1, field: 'priority', name: 'P1', nameFold: 'p1', isActive: true },
  { id: 2, field: 'bug_severity', name: 'P1', nameFold: 'p1', isActive: true },
  { id: 3, field: 'priority', name: 'Old', nameFold: 'old', isActive: false },
]

describe('requireChoice', () => {
  test.each<[string, string | undefined, number]>([
    ['P1', undefined, 1],
    [' p1 ', undefined, 1],
    ['old', 'Old', 3],
  ])('finds %j when the bug has %j', (name, current, id) => {
    expect(requireChoice(VALUES, 'priority', name, current).id).toBe(id)
  })

  test.each<[string, string | undefined, number]>([
    ['', undefined, 50],
    [' ', 'Old', 50],
    ['P2', undefined, 104],
    ['Old', undefined, 104],
    ['Old', 'P1', 104],
  ])('rejects %j when the bug has %j with %i', (name, current, code) => {
    expect(catchFaultCode(() => requireChoice(VALUES, 'priority', name, current))).toBe(code)
  })

  test('finds only values of its own field', () => {
    expect(requireChoice(VALUES, 'severity', 'P1').id).toBe(2)
    expect(catchFaultCode(() => requireChoice(VALUES, 'op_sys', 'P1'))).toBe(104)
  })
})

describe('requireDefault', () => {
  test('accepts an inactive value and rejects a missing one with 50', () => {
    expect(requireDefault(VALUES, 'priority', 'old').id).toBe(3)
    expect(catchFaultCode(() => requireDefault(VALUES, 'priority', 'P9'))).toBe(50)
  })
})

describe('the people of a bug', () => {
  const people = indexPeople([{ id: 7, login: 'Ann@x.test', loginFold: 'ann@x.test' }])

  test('are found by login in any case', () => {
    expect(requirePerson(people, 'cc', ' ANN@x.test ').id).toBe(7)
  })

  test('are rejected with 504 when they are unknown', () => {
    expect(catchFaultCode(() => requirePerson(people, 'cc', 'bob@x.test'))).toBe(504)
    expect(catchFaultCode(() => requirePerson(people, 'cc', ''))).toBe(504)
  })

  test('are read by login, however many there are', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const others = Array.from({ length: 200 }, (_, i) => `nobody${i}@x.test`)
    const { found } = await readBatch(onPrimary(), {
      found: selectPeopleByLogin([...others, ann.login.toUpperCase(), bob.login]),
    })
    expect(found.map(({ id }) => id).sort()).toEqual([ann.id, bob.id].sort())
  })
})

describe('the values of the fields', () => {
  test('are read by field and name', async () => {
    const { found } = await readBatch(onPrimary(), {
      found: selectValuesNamed([
        { field: 'priority', name: ' p1 ' },
        { field: 'bug_severity', name: 'N/A' },
        { field: 'bug_severity', name: 'P1' },
      ]),
    })
    expect(found.map(({ field, name, isActive }) => [field, name, isActive]).sort()).toEqual([
      ['bug_severity', 'N/A', true],
      ['priority', 'P1', true],
    ])
  })

  test('are read in their order, inactive ones too', async () => {
    const name = uniqueName('Zz')
    await execute(sql`INSERT INTO field_values (field_id, name, name_fold, sort_key, is_active)
      SELECT id, ${name}, ${name.toLowerCase()}, 150, 0 FROM fields WHERE name = 'bug_type'`)
    const { found } = await readBatch(onPrimary(), { found: selectChoices('bug_type') })
    const names = found.map((value) => value.name)
    expect(names.slice(0, 3)).toEqual(['defect', name, 'enhancement'])
    expect(found[1]).toMatchObject({ field: 'bug_type', isActive: false })
  })

  test('include which statuses are open and initial', async () => {
    const { found } = await readBatch(onPrimary(), { found: selectStatuses() })
    // other tests add statuses to the same tracker
    const seeded = ['UNCONFIRMED', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'VERIFIED']
    expect(
      found
        .filter(({ name }) => seeded.includes(name))
        .map(({ name, isOpen, isInitial, needsDescription }) =>
          [name, isOpen, isInitial, needsDescription].join(' '),
        ),
    ).toEqual([
      'UNCONFIRMED true true false',
      'CONFIRMED true true false',
      'IN_PROGRESS true true false',
      'RESOLVED false true false',
      'VERIFIED false false false',
    ])
  })
})
