import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { audited, auditedEach } from '../../src/db/audit.ts'
import { db } from '../../src/db/client.ts'
import { commit } from '../../src/db/commit.ts'
import { openDoor } from '../../src/db/door.ts'
import { groups } from '../../src/db/schema/groups.ts'
import { newest } from '../../src/db/sql.ts'
import { person, unique } from '../support/world.ts'

test('an audit entry tells who did what to an object that the same commit made', async () => {
  const somebody = await person()
  const name = unique('group')
  const [made] = await commit(openDoor(env.DB, 'first-primary'), [
    db
      .insert(groups)
      .values({ name, nameFold: name, description: 'x', createdAt: 7 })
      .returning({ id: groups.id }),
    audited({
      by: somebody.id,
      at: 7,
      objectClass: 'Group',
      objectId: newest(groups),
      action: 'create',
      changes: { name: { removed: '', added: name } },
    }),
  ])
  const [rows] = await commit(openDoor(env.DB, 'first-primary'), [
    sql`SELECT * FROM audit_log WHERE user_id = ${somebody.id}`,
  ])
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

test('entries about many objects of a kind are written at once', async () => {
  const somebody = await person()
  const renamed = (to: string) => ({ name: { removed: '', added: to } })
  const objects = [
    { id: 41, changes: renamed('a') },
    { id: 42, changes: renamed('b') },
  ]
  await commit(openDoor(env.DB, 'first-primary'), [
    auditedEach({ by: somebody.id, at: 7, objectClass: 'User', action: 'update' }, objects),
  ])
  const [rows = []] = await commit(openDoor(env.DB, 'first-primary'), [
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
