import { expect, test } from 'vitest'
import {
  formatUndeliveredId,
  outboxKindOf,
  parseUndeliveredId,
  UNDELIVERED_KINDS,
} from '../../../src/edges/undelivered/kinds.ts'
import { OUTBOX_KINDS } from '../../../src/platform/outbox/outbox.ts'

test('every kind of outbox has one name for clients', () => {
  expect(UNDELIVERED_KINDS.map(outboxKindOf).sort()).toEqual([...OUTBOX_KINDS].sort())
})

test.each(UNDELIVERED_KINDS)('an ID of the kind %s is read as it is written', (kind) => {
  expect(parseUndeliveredId(formatUndeliveredId(kind, 17))).toEqual({ kind, rowId: 17 })
})

test.each(['', '17', 'mail', 'mail-', 'mail-x', 'notice-17', 'mail-17-1', 'mail--17', 'MAIL-17'])(
  '"%s" is no ID',
  (text) => {
    expect(parseUndeliveredId(text)).toBeNull()
  },
)
