import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import {
  parseCommentId,
  requireVisibleComment,
} from '../../../src/tracker/comments/load-comment.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const place = { id: 7, bugId: 1, isVisible: true, isBugVisible: true }

describe('the number of a comment', () => {
  test.each([
    ['7', 7],
    [' 07 ', 7],
  ])('%j is %d', (given, id) => {
    expect(parseCommentId(given)).toBe(id)
  })

  test.each(['', 'x', '-7', '7.5', '#7', '1'.repeat(16)])('%j is none', (given) => {
    expect(catchFaultCode(() => parseCommentId(given))).toBe(111)
  })
})

describe('a comment is read', () => {
  test('by those who may see it', () => {
    expect(requireVisibleComment(ANONYMOUS, 7, [place])).toBe(place)
  })

  test.each([
    ['is none', [], 111],
    ['is on a hidden bug', [{ ...place, isVisible: false, isBugVisible: false }], 102],
    ['is private', [{ ...place, isVisible: false }], 110],
  ])('by nobody else when it %s', (_, rows, code) => {
    expect(catchFaultCode(() => requireVisibleComment(ANONYMOUS, 7, rows))).toBe(code)
  })
})
