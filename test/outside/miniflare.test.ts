import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { GROWTH, LARGE_GROWTH } from '../../scripts/local/miniflare.ts'

test('the installed Miniflare has the line that gives a configuration room, once', () => {
  const source = readFileSync(createRequire(import.meta.url).resolve('miniflare'), 'utf8')
  expect(source.split(GROWTH)).toHaveLength(2)
  expect(LARGE_GROWTH).not.toBe(GROWTH)
})
