import { TrieRouter } from 'hono/router/trie-router'
import { describe, expect, test } from 'vitest'
import { CachingRouter } from '../../../../src/platform/http/operations/router.ts'

const ROUTES = [
  ['ALL', '*', 'everything'],
  ['ALL', '/rest/*', 'headers'],
  ['GET', '/rest/version', 'version'],
  ['GET', '/rest/bug', 'search'],
  ['POST', '/rest/bug', 'file'],
  ['GET', '/rest/bug/:id', 'bug'],
  ['GET', '/rest/bug/:id/comment', 'comments'],
  ['GET', '/rest/bug/comment/:id', 'comment'],
  ['GET', '/rest/component/:product/:name{.+}', 'component'],
  ['ALL', '/rest/*', 'unknown'],
] as const

function addRoutes<Kind extends { add(method: string, path: string, name: string): void }>(
  router: Kind,
) {
  for (const [method, path, name] of ROUTES) {
    router.add(method, path, name)
  }
  return router
}

describe('CachingRouter', () => {
  test.each([
    ['GET', '/rest/version'],
    ['POST', '/rest/version'],
    ['PATCH', '/rest/version'],
    ['GET', '/rest/bug'],
    ['POST', '/rest/bug'],
    ['GET', '/rest/bug/7'],
    ['GET', '/rest/bug/comment/comment'],
    ['GET', '/rest/component/a/b/c'],
    ['GET', '/rest/nothing'],
    ['GET', '/'],
  ])('%s %s is the one that patterns lead to, each time', (method, path) => {
    const [router, plain] = [
      addRoutes(new CachingRouter<string>()),
      addRoutes(new TrieRouter<string>()),
    ]
    for (const _ of [1, 2, 3]) {
      expect(router.match(method, path)).toEqual(plain.match(method, path))
    }
  })

  test('matches a route that is added after a match was cached', () => {
    const router = addRoutes(new CachingRouter<string>())
    const before = router.match('GET', '/rest/version')
    router.add('GET', '/rest/version', 'another')
    expect(router.match('GET', '/rest/version')[0]).toHaveLength(before[0].length + 1)
  })
})
