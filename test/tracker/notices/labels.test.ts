import { describe, expect, test } from 'vitest'
import { labelField } from '../../../src/tracker/notices/labels.ts'

describe('labelField', () => {
  test.each([
    ['status', null, null, 'Status'],
    ['depends_on', null, null, 'Depends on'],
    ['assigned_to', 'Assignee', null, 'Assignee'],
    ['cf_area', 'Area', null, 'Area'],
    ['cf_gone', null, null, 'cf_gone'],
    ['attachments.ispatch', 'Attachment is patch', 7, 'Attachment #7 Is Patch'],
    ['flagtypes.name', 'Flags', 7, 'Attachment #7 Flags'],
    ['flagtypes.name', 'Flags', null, 'Flags'],
  ])('labels %s with the display name %s on attachment %s as %s', (field, name, id, label) => {
    expect(labelField(field, name, id)).toBe(label)
  })
})
