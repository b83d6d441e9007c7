import { describe, expect, test } from 'vitest'
import {
  decideListEdit,
  type Listed,
  presentListEdit,
} from '../../../src/tracker/preferences/edit-list.ts'

type Item = { readonly id: string }

const item = (id: string): Item => ({ id })
const list = (ids: string, hidden = ''): Listed<Item>[] =>
  [...ids].map((id) => ({ id, isVisible: !hidden.includes(id) }))

function decide(current: Listed<Item>[], request: { add?: string; remove?: string; set?: string }) {
  const edit = decideListEdit(
    'letters',
    current,
    {
      wanted: [...(request.set ?? request.add ?? '')].map(item),
      isSet: request.set !== undefined,
      unwanted: new Set(request.remove ?? ''),
    },
    ({ id }) => id,
  )
  const names = (items: readonly Item[]) => items.map(({ id }) => id).join('')
  return { added: names(edit.added), removed: names(edit.removed), edit }
}

describe('an edit of a list', () => {
  test.each([
    ['abc', { add: 'cdd' }, 'd', ''],
    ['abc', { remove: 'bx' }, '', 'b'],
    ['abc', { add: 'bd', remove: 'bd' }, '', 'b'],
    ['abc', { set: 'cd', remove: 'd' }, 'd', 'ab'],
    ['abc', { set: '' }, '', 'abc'],
    ['abc', {}, '', ''],
  ])('of %s by %j adds "%s" and removes "%s"', (current, request, added, removed) => {
    expect(decide(list(current), request)).toMatchObject({ added, removed })
  })

  test('removes hidden items like others, and does not reveal them', () => {
    const { removed, edit } = decide(list('abc', 'bc'), { set: '' })
    expect(removed).toBe('abc')
    expect(presentListEdit(edit, ({ id }) => id)).toEqual({ removed: 'a', added: '' })
    const hidden = decide(list('bc', 'bc'), { remove: 'b' })
    expect(hidden.removed).toBe('b')
    expect(presentListEdit(hidden.edit, ({ id }) => id)).toBeUndefined()
  })
})
