import { expect, test } from 'vitest'
import { labelOf } from '../../src/mail/labels.ts'

test.each([
  ['status', null, null, 'Status'],
  ['depends_on', null, null, 'Depends on'],
  ['assigned_to', 'Assignee', null, 'Assignee'],
  ['cf_area', 'Area', null, 'Area'],
  ['cf_gone', null, null, 'cf_gone'],
  ['attachments.ispatch', 'Attachment is patch', 7, 'Attachment #7 Is Patch'],
  ['flagtypes.name', 'Flags', 7, 'Attachment #7 Flags'],
  ['flagtypes.name', 'Flags', null, 'Flags'],
])('a change of %s (defined as %s, on attachment %s) is called %s', (field, name, id, label) => {
  expect(labelOf(field, name, id)).toBe(label)
})
