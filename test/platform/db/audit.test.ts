import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { auditStatement, auditStatements } from '../../../src/platform/db/audit.ts'
import { groups } from '../../../src/platform/db/schema/groups.ts'
import { db, newestId } from '../../../src/platform/db/sql.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { runStatements } from '../../support/database/statements.ts'

test('an audit entry records a change of an object that the same commit creates', async () => {
  const somebody = await insertPerson()
  const name = uniqueName('group')
  const [made] = await runStatements([
    db
      .insert(groups)
      .values({ name, nameFold: name, description: 'x', createdAt: 7 })
      .returning({ id: groups.id }),
    auditStatement({
      by: somebody.id,
      at: 7,
      objectClass: 'Group',
      objectId: newestId(groups),
      action: 'create',
      changes: { name: { removed: '', added: name } },
    }),
  ])
  const [rows] = await runStatements([sql`SELECT * FROM audit_log WHERE user_id = ${somebody.id}`])
  expect(rows).toEqual([
    {
      id: expect.any(Number),
      user_id: somebody.id,
      happened_at: 7,
      object_class: 'Group',
      object_id: made?.[0]?.id,
      action: 'create',
      changes: JSON.stringify({ name: { removed: '', added: name } }),
    },
  ])
})

test('entries about many objects of a class are one statement', async () => {
  const somebody = await insertPerson()
  const renamed = (to: string) => ({ name: { removed: '', added: to } })
  const objects = [
    { id: 41, changes: renamed('a') },
    { id: 42, changes: renamed('b') },
  ]
  await runStatements([
    ...auditStatements({ by: somebody.id, at: 7, objectClass: 'User', action: 'update' }, objects),
  ])
  const [rows = []] = await runStatements([
    sql`SELECT happened_at, object_class, object_id, action, changes FROM audit_log
      WHERE user_id = ${somebody.id} ORDER BY id`,
  ])
  const each = { happened_at: 7, object_class: 'User', action: 'update' }
  expect(rows).toEqual(
    objects.map(({ id, changes }) => ({
      ...each,
      object_id: id,
      changes: JSON.stringify(changes),
    })),
  )
})

test('entries that are too large for one statement are several statements in order', async () => {
  const somebody = await insertPerson()
  const entry = { by: somebody.id, at: 7, objectClass: 'User', action: 'update' as const }
  const lengths = [150_000, 60_000, 10, 300_000, 5]
  const objects = lengths.map((length, id) => ({
    id,
    changes: { reason: { removed: '', added: 'x'.repeat(length) } },
  }))
  const statements = auditStatements(entry, objects)
  expect(statements).toHaveLength(4)
  await runStatements(statements)
  const [rows = []] = await runStatements([
    sql`SELECT object_id, length(changes) AS size FROM audit_log
      WHERE user_id = ${somebody.id} ORDER BY id`,
  ])
  expect(rows.map(({ object_id }) => object_id)).toEqual([0, 1, 2, 3, 4])
  expect(rows.every(({ size }, at) => Number(size) > (lengths[at] ?? 0))).toBe(true)
  expect(auditStatements(entry, [])).toEqual([])
})
