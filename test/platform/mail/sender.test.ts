import { expect, test } from 'vitest'
import { parseSender } from '../../../src/platform/mail/sender.ts'

test.each([
  ['tracker@mail.test', '', 'tracker@mail.test'],
  ['<tracker@mail.test>', '', 'tracker@mail.test'],
  ['Tracker <tracker@mail.test>', 'Tracker', 'tracker@mail.test'],
  ['"The, Tracker" <tracker@mail.test>', 'The, Tracker', 'tracker@mail.test'],
  ['Tröcker <tracker@mail.test>', 'Tröcker', 'tracker@mail.test'],
])('the sender %s has the name "%s" and the address %s', (text, name, email) => {
  expect(parseSender(text)).toEqual({ name, email })
})
