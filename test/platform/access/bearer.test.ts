import { describe, expect, test } from 'vitest'
import type { AuthenticationContext } from '../../../src/platform/access/authentication-context.ts'
import {
  type BearerRow,
  bearerOf,
  requireBearerOwner,
  selectBearer,
} from '../../../src/platform/access/bearer.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { newApiKey, sha256Hex } from '../../../src/platform/lib/crypto/secrets.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { onPrimary } from '../../support/database/statements.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'

const DAY = 86_400
const claim: AuthenticationContext = { ...buildMailService().ctx(NOW), ip: '192.0.2.1' }

const row: BearerRow = {
  userId: 7,
  login: 'ann@example.test',
  realName: 'Ann',
  nick: null,
  loginDeniedText: '',
  lastSeenAt: null,
  groups: '[[1,"admin"],[5,null]]',
  lastUsedAt: NOW,
  keyId: 3,
  revoked: 0,
  expiresAt: null,
  boundIp: null,
  canWrite: 1,
  canAdminister: 1,
  productIds: null,
}

describe('the owner of a key or a token', () => {
  test.each<['key' | 'token', Partial<BearerRow> | null, string]>([
    ['key', {}, 'person'],
    ['key', null, 'apiKeyInvalid'],
    ['key', { revoked: 1 }, 'apiKeyRevoked'],
    ['key', { expiresAt: NOW }, 'apiKeyExpired'],
    ['key', { expiresAt: NOW + 1 }, 'person'],
    ['key', { loginDeniedText: 'Left.' }, 'accountDisabled'],
    ['key', { lastUsedAt: null }, 'person'],
    ['token', {}, 'person'],
    ['token', null, 'tokenInvalid'],
    ['token', { lastUsedAt: NOW - 7 * DAY }, 'person'],
    ['token', { lastUsedAt: NOW - 7 * DAY - 1 }, 'tokenInvalid'],
    ['token', { boundIp: '192.0.2.1' }, 'person'],
    ['token', { boundIp: '192.0.2.2' }, 'tokenInvalid'],
    ['token', { loginDeniedText: 'Left.' }, 'accountDisabled'],
  ])('of a %s with the row %j is: %s', (kind, more, expected) => {
    const read = () =>
      requireBearerOwner(claim, { kind, hash: '' }, more === null ? undefined : { ...row, ...more })
    if (expected === 'person') {
      expect(read()).toMatchObject({ kind: 'person', id: 7, groups: new Set([1, 5]) })
    } else {
      expect(read).toThrow(
        expect.objectContaining({ kind: expect.objectContaining({ name: expected }) }),
      )
    }
  })
})

describe('a credential', () => {
  test('is hashed, a key without the white space around it', async () => {
    const key = newApiKey()
    expect(await bearerOf({ kind: 'key', key: ` ${key} ` })).toEqual({
      kind: 'key',
      hash: await sha256Hex(key),
    })
    expect(await bearerOf({ kind: 'token', token: '1-x' })).toEqual({
      kind: 'token',
      hash: await sha256Hex('1-x'),
    })
  })

  test('is no bearer when it is a password or absent', async () => {
    expect(await bearerOf({ kind: 'password', login: 'a', password: 'b' })).toBeNull()
    expect(await bearerOf(null)).toBeNull()
  })

  test('is selected with its owner and the groups of the owner', async () => {
    const ann = await insertPerson()
    const its = await insertGroup([ann])
    const { rows } = await readBatch(onPrimary(), {
      rows: selectBearer({ kind: 'key', hash: await sha256Hex(ann.key) }),
    })
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ userId: ann.id, login: ann.login, revoked: 0, boundIp: null })
    expect(JSON.parse(rows[0]?.groups ?? '')).toContainEqual([its.id, null])
  })
})
