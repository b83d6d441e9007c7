import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { operations } from '../../../src/app.ts'
import { chooseTarget, METHODS, requireMethod } from '../../../src/edges/rpc/methods.ts'
import { indexOperations } from '../../../src/platform/http/operations/operations-by-name.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const CLOSED = readSettings(env)

const targets = Object.entries(METHODS).flatMap(([name, method]) =>
  [method, ...Object.values(method.whenGiven ?? {})].map(
    ({ operation }) => [name, operation] as const,
  ),
)

describe('the table of methods', () => {
  test.each(targets)('serves %s by an operation that exists: %s', (_, operation) => {
    expect(indexOperations(operations).has(operation)).toBe(true)
  })

  test('has no method of names that every object has', () => {
    expect(catchFaultCode(() => requireMethod('constructor', CLOSED))).toBe(-32601)
    expect(catchFaultCode(() => requireMethod('__proto__', CLOSED))).toBe(-32601)
  })

  test.each([
    ['off', 'Accounts are made by an administrator, with User.create.'],
    ['on', 'People make their accounts on the page /account/new.'],
  ])('says where accounts come from when ALLOW_REGISTRATION is %s', (ALLOW_REGISTRATION, hint) => {
    const settings = readSettings({ ...env, ALLOW_REGISTRATION })
    expect(() => requireMethod('User.offer_account_by_email', settings)).toThrow(
      `There is no method 'User.offer_account_by_email'. ${hint}`,
    )
  })

  test('serves a call by what its parameters name', () => {
    const comments = requireMethod('Bug.comments', CLOSED)
    expect(chooseTarget(comments, { ids: [1] }).operation).toBe('GET /bug/:id_or_alias/comment')
    expect(chooseTarget(comments, { ids: [], comment_ids: 3 }).operation).toBe(
      'GET /bug/comment/:comment_id',
    )
    expect(chooseTarget(comments, { ids: [1], comment_ids: [] }).operation).toBe(
      'GET /bug/:id_or_alias/comment',
    )
  })

  test('refuses a call with 53 whose parameters two operations would have to serve', () => {
    const comments = requireMethod('Bug.comments', CLOSED)
    expect(catchFaultCode(() => chooseTarget(comments, { ids: [1], comment_ids: [2] }))).toBe(53)
  })
})
