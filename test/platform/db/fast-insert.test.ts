import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { compile } from '../../../src/platform/db/compile.ts'
import { fastInsert } from '../../../src/platform/db/fast-insert.ts'
import { auditLog } from '../../../src/platform/db/schema/audit.ts'
import { groups } from '../../../src/platform/db/schema/groups.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { runStatements } from '../../support/database/statements.ts'

test('booleans are encoded as numbers, and absent columns get their defaults', async () => {
  const name = uniqueName('group')
  const row = { name, nameFold: name, description: '', isActive: false, createdAt: 7 }
  const [, read] = await runStatements([
    fastInsert(groups)(row),
    sql`SELECT * FROM access_groups WHERE name = ${name}`,
  ])
  expect(read).toMatchObject([
    { name, is_active: 0, is_bug_group: 1, created_at: 7, icon_url: null, revision: 0 },
  ])
})

test('null is bound, undefined is left out, and rows with the same columns share one text', () => {
  const insert = fastInsert(auditLog)
  const row = { happenedAt: 1, objectClass: 'create', objectId: 1, action: 'create' as const }
  const text = (columns: string, places: string) =>
    `INSERT INTO "audit_log" (${columns}) VALUES (${places})`
  expect(compile(insert({ userId: null, ...row, changes: undefined }))).toEqual({
    sql: text(
      '"user_id", "happened_at", "object_class", "object_id", "action"',
      '?1, ?2, ?3, ?4, ?5',
    ),
    params: [null, 1, 'create', 1, 'create'],
  })
  expect(compile(insert(row))).toEqual({
    sql: text('"happened_at", "object_class", "object_id", "action"', '?1, ?2, ?3, ?4'),
    params: [1, 'create', 1, 'create'],
  })
})
