import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { commit } from '../../src/db/commit.ts'
import { compile } from '../../src/db/compile.ts'
import { openDoor } from '../../src/db/door.ts'
import { insertRow } from '../../src/db/insert.ts'
import { auditLog } from '../../src/db/schema/audit.ts'
import { groups } from '../../src/db/schema/groups.ts'
import { unique } from '../support/world.ts'

test('answers the ID; booleans become numbers, and what is left out gets its default', async () => {
  const name = unique('group')
  const row = { name, nameFold: name, description: '', isActive: false, createdAt: 7 }
  const [inserted, read] = await commit(openDoor(env.DB, 'first-primary'), [
    insertRow(groups, row),
    sql`SELECT * FROM access_groups WHERE name = ${name}`,
  ])
  expect(inserted).toEqual([{ id: read?.[0]?.id }])
  expect(read).toMatchObject([
    { name, is_active: 0, is_bug_group: 1, created_at: 7, icon_url: null, revision: 0 },
  ])
})

test('null is written, undefined is left out, and a value that stands twice is bound once', () => {
  const row = {
    userId: null,
    happenedAt: 1,
    objectClass: 'create',
    objectId: 1,
    action: 'create' as const,
    changes: undefined,
  }
  expect(compile(insertRow(auditLog, row))).toEqual({
    sql: `INSERT INTO "audit_log" ("user_id", "happened_at", "object_class", "object_id", "action") VALUES (NULL, ?1, ?2, ?1, ?2) RETURNING id`,
    params: [1, 'create'],
  })
})
