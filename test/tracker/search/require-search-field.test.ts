import { expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { requireSearchField } from '../../../src/tracker/search/require.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { CONFIGURATION, INSIDER, TRACKER } from '../../support/search/parse-query.ts'

function findMessage(name: string, caller: typeof ANONYMOUS | typeof TRACKER = ANONYMOUS): string {
  try {
    requireSearchField(name, 'f1', { caller, configuration: CONFIGURATION })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test.each([
  ['statsu', "f1 names 'statsu', which is no field to search by; similar: 'status'."],
  ['Sumary', "f1 names 'Sumary', which is no field to search by; similar: 'summary'."],
  [
    'mimetype',
    "f1 names 'mimetype', which is no field to search by; similar: 'attachments.mimetype'.",
  ],
  ['cf_singel', "f1 names 'cf_singel', which is no field to search by; similar: 'cf_single'."],
  ['xyzzyxyz', "f1 names 'xyzzyxyz', which is no field to search by."],
  ['x'.repeat(5000), `f1 names '${'x'.repeat(5000)}', which is no field to search by.`],
])('an unknown field is refused with names that are similar: %.20s', (name, message) => {
  expect(findMessage(name)).toBe(message)
})

test('hours are suggested to nobody but members of the time-tracking group', () => {
  expect(findMessage('deadlin')).not.toContain("'deadline'")
  expect(findMessage('deadline')).not.toContain("'deadline';")
  expect(findMessage('estimated_tim')).not.toContain("'estimated_time'")
  expect(findMessage('deadlin', TRACKER)).toContain("similar: 'deadline'")
})

test('whether comments are private is asked by insiders alone', () => {
  const find = (caller: typeof ANONYMOUS | typeof TRACKER) =>
    catchFaultCode(
      () =>
        requireSearchField('longdescs.isprivate', 'f1', { caller, configuration: CONFIGURATION })
          .name,
    )
  expect([find(ANONYMOUS), find(TRACKER), find(INSIDER)]).toEqual([304, 304, 'longdescs.isprivate'])
})
