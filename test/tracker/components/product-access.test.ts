import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Person } from '../../../src/platform/access/caller.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import {
  type ProductAccess,
  requireAccessibleProduct,
  requireConfigurableProduct,
} from '../../../src/tracker/components/product-access.ts'

const place: ProductAccess = {
  id: 1,
  name: 'Car',
  isAccessible: true,
  isConfigurable: false,
  defaultType: null,
  revision: 0,
}
const structurable = { ...place, isConfigurable: true }
const hidden = { ...place, isAccessible: false, isConfigurable: true }

function withRoles(...roles: Role[]): Person {
  const name = { login: 'ann', realName: '', nick: null }
  return { kind: 'person', id: 1, ...name, groups: new Set(), roles: new Set(roles) }
}

const editor = withRoles('editcomponents')
const nobody = withRoles('edittriageowners')

describe('a product', () => {
  test('is shown to people who may know of it alone', () => {
    expect(requireAccessibleProduct([place], 'car')).toBe(place)
    for (const found of [[], [hidden]]) {
      expect(() => requireAccessibleProduct(found, 'car')).toThrow(
        expect.objectContaining({ code: 106 }),
      )
    }
  })

  test.each([
    ['an editor', editor, [place], null],
    ['an editor, unknown', editor, [], 106],
    ['an editor, hidden', editor, [hidden], 106],
    ['somebody with the right in the product', nobody, [structurable], null],
    ['the same, hidden', nobody, [hidden], 106],
    ['somebody without', nobody, [place], 304],
    ['somebody without, unknown', nobody, [], 304],
    ['an anonymous caller', ANONYMOUS, [place], 304],
  ])('is to be structured by %s', (_, caller, found, code) => {
    const requireProduct = () =>
      requireConfigurableProduct(caller, found, 'car', 'create components')
    if (code === null) {
      expect(requireProduct()).toBe(found[0])
    } else {
      expect(requireProduct).toThrow(expect.objectContaining({ code }))
    }
  })
})
