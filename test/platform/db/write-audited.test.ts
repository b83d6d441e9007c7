import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { commit, type Statement, WriteConflict } from '../../../src/platform/db/commit.ts'
import {
  type Author,
  createAudited,
  removeAudited,
  updateAudited,
} from '../../../src/platform/db/write-audited.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { execute, loadRow } from '../../support/database/execute.ts'
import { buildWorkerCtx } from '../../support/deliver-webhooks.ts'

async function buildAuthor() {
  return { ...buildWorkerCtx(), caller: await insertPerson(), now: 7 }
}

async function createKeyword(author: Awaited<ReturnType<typeof buildAuthor>>) {
  const name = uniqueName('keyword')
  const row = { name, nameFold: name, description: 'x', isActive: true }
  const id = await createAudited(author, 'Keyword', { row, shown: { name, is_active: true } })
  return { id, name, revision: 0 }
}

function entriesOf({ caller }: Author) {
  return execute(sql`SELECT object_class, object_id, action, changes, happened_at FROM audit_log
    WHERE user_id = ${caller.id} ORDER BY id`)
}

const write = (statements: readonly Statement[]) => commit(buildWorkerCtx(), { statements })
const renaming = (added: string) => ({ name: { removed: 'x', added } })

test('a new object, its changes and its removal are written with their entries in the audit log', async () => {
  const author = await buildAuthor()
  const { id, name, revision } = await createKeyword(author)
  const changed = { id, revision, changes: renaming('y') }
  await write(updateAudited(author, 'Keyword', [changed], { description: 'y' }))
  expect(await loadRow('keywords', sql`id = ${id}`)).toMatchObject({
    description: 'y',
    revision: 1,
  })
  await write(removeAudited(author, 'Keyword', { id, revision: 1 }, { name }))
  expect(await loadRow('keywords', sql`id = ${id}`)).toBeUndefined()
  const entry = { object_class: 'Keyword', object_id: id, happened_at: 7 }
  const created = { name: { removed: '', added: name }, is_active: { removed: '', added: '1' } }
  expect(await entriesOf(author)).toEqual([
    { ...entry, action: 'create', changes: JSON.stringify(created) },
    { ...entry, action: 'update', changes: JSON.stringify(renaming('y')) },
    { ...entry, action: 'remove', changes: JSON.stringify({ name: { removed: name, added: '' } }) },
  ])
})

test('of several objects those that change are written, all or none', async () => {
  const author = await buildAuthor()
  const [one, other, same] = [
    await createKeyword(author),
    await createKeyword(author),
    await createKeyword(author),
  ]
  const to = (revision: number) => [
    { ...one, changes: renaming('z') },
    { ...other, revision, changes: renaming('z') },
    { ...same, revision: 5, changes: {} },
  ]
  const all = { description: 'z' }
  await expect(write(updateAudited(author, 'Keyword', to(1), all))).rejects.toThrow(WriteConflict)
  expect(await entriesOf(author)).toHaveLength(3)
  await write(updateAudited(author, 'Keyword', to(0), all))
  const ids = sql`id IN (${one.id}, ${other.id}, ${same.id})`
  expect(
    await execute(sql`SELECT description, revision FROM keywords WHERE ${ids} ORDER BY id`),
  ).toEqual([
    { description: 'z', revision: 1 },
    { description: 'z', revision: 1 },
    { description: 'x', revision: 0 },
  ])
  expect(await entriesOf(author)).toHaveLength(5)
})

test('an object that changed or came into use meanwhile is not removed', async () => {
  const author = await buildAuthor()
  const { id, name } = await createKeyword(author)
  const remove = (revision: number, isUsed = sql`0`) =>
    write(removeAudited(author, 'Keyword', { id, revision }, { name }, isUsed))
  await expect(remove(1)).rejects.toThrow(WriteConflict)
  await expect(remove(0, sql`1`)).rejects.toThrow(WriteConflict)
  expect(await entriesOf(author)).toHaveLength(1)
})
