import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { isCurrent, loadConfiguration } from '../../../src/tracker/search/configuration.ts'
import { postBug } from '../../support/builders/bugs.ts'
import {
  insertCustomField,
  postCustomField,
  postFieldValue,
  setCustomValue,
} from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { searchBugIds } from '../../support/clients/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { onPrimary } from '../../support/database/statements.ts'

test('a custom field that is created between two searches of one isolate is found at once', async () => {
  const admin = await insertPerson({ roles: ['admin', 'editbugs'] })
  const first = await insertCustomField(1)
  const place = await insertProduct({ assignee: admin })
  const bug = await postBug(admin, place)
  expect(await searchBugIds(`f1=${first.name}&o1=equals&v1=lamp`)).toEqual([])
  const field = await postCustomField(admin, { type: 1, display_name: 'Lamp', description: 'Lamp' })
  await setCustomValue(bug, field, { text: 'lamp' })
  expect(await searchBugIds(`f1=${field.name}&o1=equals&v1=lamp`)).toEqual([bug])
  expect(await searchBugIds(`product=${place.name}&order=${field.name}`)).toEqual([bug])
  expect(await searchBugIds(`${field.name}=lamp`)).toEqual([bug])
})

test('a field that is removed between two searches is unknown at once', async () => {
  const field = await insertCustomField(1)
  const query = `/rest/bug?f1=${field.name}&o1=equals&v1=lamp`
  expect((await get(ANYONE, query)).status).toBe(200)
  await execute(sql`DELETE FROM fields WHERE id = ${field.id}`)
  expectFault(await get(ANYONE, query), 400, 108, field.name)
})

test('a status that is created between two searches is a word of the quicksearch at once', async () => {
  const admin = await insertPerson({ roles: ['admin', 'editbugs'] })
  expect((await get(ANYONE, '/rest/bug?quicksearch=OPEN')).status).toBe(200)
  const name = uniqueName('WAITING').toUpperCase().replaceAll(/\W/g, '')
  await postFieldValue(admin, 'bug_status', name, { is_open: true })
  const { statuses } = await loadConfiguration(onPrimary())
  expect(statuses.some((status) => status.name === name)).toBe(false)
  expect((await get(ANYONE, `/rest/bug?quicksearch=${name}`)).status).toBe(200)
  const renewed = await loadConfiguration(onPrimary())
  expect(renewed.statuses).toContainEqual({ name, isOpen: true })
})

test('a configuration is current for the state with its signature alone', async () => {
  const configuration = await loadConfiguration(onPrimary())
  expect(isCurrent(configuration, [{ signature: configuration.signature }])).toBe(true)
  expect(isCurrent(configuration, [{ signature: 'other' }])).toBe(false)
  expect(isCurrent(configuration, [])).toBe(false)
})
