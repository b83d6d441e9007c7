import { expect, test } from 'vitest'
import { toAnchor } from '../../../../src/platform/lib/markdown/anchor.ts'

test.each([
  ['Get the version', 'get-the-version'],
  ['`If-Match` and "tags"', 'if-match-and-tags'],
  ['XML-RPC and JSON-RPC', 'xml-rpc-and-json-rpc'],
])('the anchor of "%s" is %s', (heading, anchor) => {
  expect(toAnchor(heading)).toBe(anchor)
})
