import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import {
  chooseAdministrator,
  type Plan,
  planFirstAdministrator,
} from '../../scripts/administrator/first-administrator.ts'
import { CommandError } from '../../scripts/command.ts'
import { openMigratedDatabase, readMigrations } from '../../scripts/migrations.ts'
import { verifyPassword } from '../../src/platform/lib/crypto/password-hash.ts'
import { sha256Hex, unseal } from '../../src/platform/lib/crypto/secrets.ts'

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../drizzle'))
const SECRET = 'the secret of this deployment'
const NOW = 1_790_000_000

function run(database: DatabaseSync, { create }: Plan): void {
  for (const { sql, params } of create) {
    database.prepare(sql).run(...params)
  }
}

function one(database: DatabaseSync, sql: string): Record<string, unknown> {
  return database.prepare(sql).get() as Record<string, unknown>
}

const plan = (login: string, apiKey: string) =>
  planFirstAdministrator({
    login,
    password: 'long enough',
    apiKey,
    secretsKey: SECRET,
    now: NOW,
  })

describe('the first administrator', () => {
  test('gets the ID 1, every group, a sealed API key and a product to try', async () => {
    const database = openMigratedDatabase(MIGRATIONS)
    run(database, await plan('Root@Example.org', 'lw0123456789abcdefghijklmnopqrstuvwxyz01'))

    const user = one(database, 'SELECT * FROM users')
    expect(user).toMatchObject({ id: 1, login: 'Root@Example.org', login_fold: 'root@example.org' })
    expect(await verifyPassword('long enough', String(user.password_hash))).toBe(true)

    const key = one(database, 'SELECT * FROM api_keys')
    expect(key.hash).toBe(await sha256Hex('lw0123456789abcdefghijklmnopqrstuvwxyz01'))
    expect(await unseal(String(key.sealed), SECRET)).toBe(
      'lw0123456789abcdefghijklmnopqrstuvwxyz01',
    )

    expect(one(database, 'SELECT count(*) AS n FROM memberships')).toEqual(
      one(database, 'SELECT count(*) AS n FROM access_groups'),
    )
    expect(
      one(
        database,
        `SELECT p.name AS product, c.name AS component, v.name AS version, m.name AS milestone
         FROM products p JOIN components c ON c.product_id = p.id
           JOIN versions v ON v.product_id = p.id AND v.is_default = 1
           JOIN milestones m ON m.product_id = p.id AND m.is_default = 1`,
      ),
    ).toEqual({
      product: 'TestProduct',
      component: 'TestComponent',
      version: 'unspecified',
      milestone: '---',
    })
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  })

  test('brings the flag types needinfo and review, which may be requested of people everywhere', async () => {
    const database = openMigratedDatabase(MIGRATIONS)
    const readTypes = () =>
      database
        .prepare(
          `SELECT t.name, t.target, s.is_exclusion, s.product_id, s.component_id FROM flag_types t
            JOIN flag_type_scopes s ON s.flag_type_id = t.id
            WHERE t.is_active AND t.is_requestable AND t.is_requesteeble AND t.is_multiplicable
              AND t.grant_group_id IS NULL AND t.request_group_id IS NULL ORDER BY t.id`,
        )
        .all()
    expect(readTypes()).toEqual([])
    run(database, await plan('first@example.org', 'lw-first-key-of-enough-length'))
    const everywhere = { is_exclusion: 0, product_id: null, component_id: null }
    const seeded = [
      { name: 'needinfo', target: 'bug', ...everywhere },
      { name: 'review', target: 'attachment', ...everywhere },
    ]
    expect(readTypes()).toEqual(seeded)
    run(database, await plan('second@example.org', 'lw-second-key-of-enough-length'))
    expect(readTypes()).toEqual(seeded)
  })

  test('brings no flag type to a tracker that has an administrator', async () => {
    const database = openMigratedDatabase(MIGRATIONS)
    run(database, await plan('first@example.org', 'lw-first-key-of-enough-length'))
    database.exec('DELETE FROM flag_type_scopes; DELETE FROM flag_types')
    run(database, await plan('second@example.org', 'lw-second-key-of-enough-length'))
    expect(one(database, 'SELECT count(*) AS n FROM flag_types')).toEqual({ n: 0 })
  })

  test('is created once, even if later starts ask for another', async () => {
    const database = openMigratedDatabase(MIGRATIONS)
    run(database, await plan('first@example.org', 'lw-first-key-of-enough-length'))
    run(database, await plan('second@example.org', 'lw-second-key-of-enough-length'))
    expect(one(database, 'SELECT count(*) AS n FROM users')).toEqual({ n: 1 })
    expect(one(database, 'SELECT count(*) AS n FROM api_keys')).toEqual({ n: 1 })
    expect(one(database, 'SELECT count(*) AS n FROM components')).toEqual({ n: 1 })
  })
})

describe('the choice of credentials', () => {
  test('generates credentials that are not set', () => {
    const choice = chooseAdministrator({})
    expect(choice).toMatchObject({
      login: 'admin@example.com',
      generated: { password: true, apiKey: true },
    })
    expect(choice.apiKey).toMatch(/^lw[0-9A-Za-z]{38}$/)
    expect(chooseAdministrator({}).password).not.toBe(choice.password)
  })

  test.each([
    ['ADMIN_LOGIN', 'nobody'],
    ['ADMIN_PASSWORD', 'short'],
    ['ADMIN_API_KEY', 'too-short'],
    ['ADMIN_API_KEY', `with a blank ${'x'.repeat(20)}`],
  ])('rejects %s=%s and names the setting', (name, value) => {
    expect(() => chooseAdministrator({ [name]: value })).toThrow(name)
  })

  test('takes the login of an administrator to reset, and names that option where it is none', () => {
    const environment = { ADMIN_LOGIN: 'ada@example.org' }
    expect(chooseAdministrator(environment, 'kim@example.org').login).toBe('kim@example.org')
    for (const login of ['nobody', '']) {
      expect(() => chooseAdministrator(environment, login)).toThrow(
        new CommandError('--reset-administrator must be an e-mail address.'),
      )
    }
  })
})
