import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import { ownerOrEditor } from '../../../src/tracker/preferences/owner.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const person = (...roles: 'editusers'[]) => buildCaller({ id: 7, login: 'Ann@example.test' }, roles)

const resolveOwner = (caller: Caller, idOrName: string) =>
  ownerOrEditor.grant({ caller } as Ctx, { id_or_name: idOrName })

describe('whose preferences a path names', () => {
  test.each(['7', ' 7 ', 'ANN@example.test', ' ann@example.test '])(
    '"%s" is the caller, who needs no right for that',
    (text) => {
      expect(resolveOwner(person(), text).caller.id).toBe(7)
    },
  )

  test.each([
    ['8', 304],
    ['70', 304],
    ['bob@example.test', 304],
    ['', 304],
    ['0', 52],
    ['1234567890123456', 52],
  ])('"%s" is refused with %i for callers who do not edit users', (text, code) => {
    expect(catchFaultCode(() => resolveOwner(person(), text))).toBe(code)
    expect(catchFaultCode(() => resolveOwner(ANONYMOUS, text))).toBe(410)
  })

  test('somebody else is an account for callers who edit users', () => {
    const { owner } = resolveOwner(person('editusers'), ' bob@example.test ')
    expect(owner.unknown.message).toContain("'bob@example.test'")
    expect(resolveOwner(person('editusers'), '8').owner.unknown.message).toContain('8')
  })
})
