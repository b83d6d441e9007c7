import { describe, expect, test } from 'vitest'
import { parseEvents } from '../../../src/edges/webhooks/events.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

describe('the events of a webhook', () => {
  test.each([
    [['create'], 'create'],
    [['comment,create'], 'create,comment'],
    [['attachment_change, comment', 'change'], 'change,attachment_change,comment'],
    [['create', 'create'], 'create'],
  ])('%j are kept as %s', (given, kept) => {
    expect(parseEvents(given)).toBe(kept)
  })

  test.each([
    [[], 50],
    [[' , '], 50],
    [['creates'], 53],
    [['create', 'ping'], 53],
    [['Create'], 53],
  ])('%j are rejected with %i', (given, code) => {
    expect(catchFaultCode(() => parseEvents(given))).toBe(code)
  })
})
