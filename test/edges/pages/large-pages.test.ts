import { expect, test } from 'vitest'
import { PAGES } from '../../../src/edges/pages/routes.ts'

/** Pages that show some things of one bug, file, person or person's account, or lead elsewhere. */
const SMALL = [
  /^\/bug\/|^\/attachment\/|^\/people\/|^\/:id|_bug|^\/show|^\/enter_bug|^\/unsubscribe/,
  /^\/login|^\/createaccount|^\/account\/|^\/userprefs|^\/describecomponents|^\/browse|^\/suggest/,
  // a list is a search, which has turns and a limit of its own
  /^\/bugs$|^\/buglist/,
]

test('pages that show as much as a tracker has of something take turns', () => {
  const others = PAGES.filter(
    ({ path, method = 'GET', isLarge = false }) =>
      method === 'GET' && !isLarge && !SMALL.some((pattern) => pattern.test(path)),
  )
  expect(others.map(({ path }) => path)).toEqual([])
})
