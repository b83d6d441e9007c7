import { expect, test } from 'vitest'
import {
  buildThreadMessageId,
  buildThreadRoot,
  findMailHost,
} from '../../../src/platform/mail/thread.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'

const thread = { bugId: 35, readerId: 9, host: 'tracker.test' }

test('message IDs of a thread differ by outbox row, and are the same each time', () => {
  const ids = [
    buildThreadRoot(thread),
    buildThreadMessageId(thread, 'notice', 4),
    buildThreadMessageId(thread, 'notice', 5),
    buildThreadMessageId(thread, 'reminder', 4),
    buildThreadMessageId({ ...thread, readerId: 10 }, 'notice', 4),
  ]
  expect(new Set(ids).size).toBe(ids.length)
  expect(buildThreadMessageId(thread, 'notice', 4)).toBe(ids[1])
  expect(ids.every((id) => /^<[a-z0-9-]+@tracker\.test>$/.test(id))).toBe(true)
})

test.each([
  ['https://bugs.example.test:8443/tracker', 'x@mail.test', 'bugs.example.test'],
  ['', 'Tracker <x@mail.test>', 'mail.test'],
  ['', '', 'localhost'],
])(
  'the host of message IDs for the address "%s" and the sender "%s" is %s',
  (baseUrl, MAIL_FROM, host) => {
    expect(findMailHost({ baseUrl, settings: readSettings({ MAIL_FROM }) })).toBe(host)
  },
)
