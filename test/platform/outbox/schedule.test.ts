import { describe, expect, test } from 'vitest'
import { delayAfter, OUTBOX_KINDS, OUTBOXES } from '../../../src/platform/outbox/outbox.ts'

const DAY = 86_400

test.each([
  [1, 60],
  [2, 120],
  [5, 960],
  [9, 15_360],
  [10, 30_720],
  [11, 43_200],
  [50, 43_200],
])('after %s attempts the next waits %s seconds', (attempts, seconds) => {
  expect(delayAfter(attempts)).toBe(seconds)
})

test.each([
  [1, 5],
  [2, 25],
  [3, 125],
  [4, 625],
  [5, 900],
  [99, 900],
])('after %s attempts a webhook waits %s seconds', (attempts, seconds) => {
  expect(OUTBOXES.webhook.delayAfter(attempts)).toBe(seconds)
})

describe('all attempts of a row together last', () => {
  test.each(OUTBOX_KINDS)('at least a day for the kind %s', (kind) => {
    const { maxAttempts, delayAfter: delay } = OUTBOXES[kind]
    let seconds = 0
    for (let attempt = 1; attempt < maxAttempts; attempt += 1) {
      seconds += delay(attempt)
    }
    expect(seconds).toBeGreaterThan(DAY * 0.99)
  })
})
