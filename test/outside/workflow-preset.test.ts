import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runOn } from '../../scripts/local/database.ts'
import { openMigratedDatabase, readMigrations } from '../../scripts/migrations.ts'
import type { Statement, StatementRunner } from '../../scripts/statement-runner.ts'
import { inlineParameters } from '../../scripts/statements-by-wrangler.ts'
import { applyPresetTo, requirePresetName } from '../../scripts/workflow-preset.ts'

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../drizzle'))
const NOW = 1_790_000_000

/** A database whose statements run with bound parameters, or as the text that wrangler gets. */
function openDatabase(form: 'bound' | 'text') {
  const database = openMigratedDatabase(MIGRATIONS)
  const bound = runOn(database)
  const inline = (statement: Statement) => ({ sql: inlineParameters(statement), params: [] })
  const runner: StatementRunner =
    form === 'bound'
      ? bound
      : {
          select: (statement) => bound.select(inline(statement)),
          run: (statements) => bound.run(statements.map(inline)),
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
