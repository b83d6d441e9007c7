import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inlineParameters } from '../../scripts/administrator/administrator-by-wrangler.ts'
import { openMigratedDatabase, readMigrations } from '../../scripts/migrations.ts'
import {
  applyPresetTo,
  requirePresetName,
  type StatementRunner,
} from '../../scripts/workflow-preset.ts'

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../drizzle'))
const NOW = 1_790_000_000

/** A database whose statements run with bound parameters, or as the text that wrangler gets. */
function openDatabase(form: 'bound' | 'text') {
  const database = openMigratedDatabase(MIGRATIONS)
  const runner: StatementRunner = {
    select: async ({ sql, params }) =>
      form === 'bound'
        ? database.prepare(sql).all(...params)
        : database.prepare(inlineParameters({ sql, params })).all(),
    run: async (statements) => {
      database.exec('BEGIN')
      for (const { sql, params } of statements) {
        const isBound = form === 'bound'
        database
          .prepare(isBound ? sql : inlineParameters({ sql, params }))
          .run(...(isBound ? params : []))
      }
      database.exec('COMMIT')
    },
  }
  const readMoves = () =>
    database
      .prepare(
        `SELECT coalesce(o.name, '') || ' ' || t.name AS move FROM status_transitions s
          JOIN field_values t ON t.id = s.to_id LEFT JOIN field_values o ON o.id = s.from_id ORDER BY 1`,
      )
      .all()
      .map(({ move }) => String(move))
  const readAudit = () =>
    database.prepare('SELECT user_id, action, happened_at FROM audit_log ORDER BY id').all()
  return { runner, readMoves, readAudit }
}

describe('npm run bootstrap -- --workflow classic', () => {
  test.each(['bound', 'text'] as const)(
    'adds the workflow once, with parameters as %s',
    async (form) => {
      const { runner, readMoves, readAudit } = openDatabase(form)
      const before = readMoves()
      expect(await applyPresetTo(runner, 'classic', NOW)).toContain(
        'NEW, ASSIGNED, REOPENED, CLOSED',
      )
      const after = readMoves()
      expect(after).toEqual(
        expect.arrayContaining([...before, ' NEW', 'NEW CLOSED', 'CLOSED REOPENED']),
      )
      expect(readAudit().filter(({ action }) => action === 'create')).toEqual(
        Array.from({ length: 4 }, () => ({ user_id: null, action: 'create', happened_at: NOW })),
      )
      const entries = readAudit().length
      expect(await applyPresetTo(runner, 'classic', NOW)).toContain('already')
      expect([readMoves(), readAudit().length]).toEqual([after, entries])
    },
  )

  test('refuses an unknown workflow with the names of those that there are', () => {
    expect(() => requirePresetName('modern')).toThrow('--workflow must be one of: classic.')
  })
})
