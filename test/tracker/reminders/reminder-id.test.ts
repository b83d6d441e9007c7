import { expect, test } from 'vitest'
import { requireReminderId } from '../../../src/tracker/reminders/reminder-id.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

test.each([
  ['7', 7],
  [' 7 ', 7],
  ['0', 0],
  ['99999999999999999999', Number.MAX_SAFE_INTEGER],
])('the ID "%s" of a reminder is %d', (text, id) => {
  expect(requireReminderId(text)).toBe(id)
})

test.each(['', 'x', '-1', '1.5', '1e3', '0x1', '٣'])(
  'the ID "%s" of a reminder is 32000',
  (text) => {
    expect(catchFaultCode(() => requireReminderId(text))).toBe(32_000)
  },
)
