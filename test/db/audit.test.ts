import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { audited } from '../../src/db/audit.ts'
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
