import { describe, expect, test } from 'vitest'
import { CONFIGURATION, plain, print, printOpen } from '../../../support/quicksearch.ts'

const CLOSED = 'RESOLVED, VERIFIED'

describe('the first word of a quicksearch', () => {
  test.each([
    ['NEW', 'bug_status in (NEW)'],
    ['NEW+', 'bug_status in (NEW)'],
    [',NEW', 'bug_status in (NEW)'],
    ['NEW,,ASSI', 'bug_status in (NEW, ASSIGNED)'],
    ['NEW,NOTHING', 'bug_status in (NEW)'],
    ['RE', 'bug_status in (REOPENED, RESOLVED)'],
    ['INV,INC', `bug_status in (${CLOSED}) AND resolution in (INVALID, INCOMPLETE)`],
    ['NEW,FIX', `bug_status in (NEW, ${CLOSED}) AND resolution in (FIXED)`],
    ['I', `bug_status in (${CLOSED}) AND resolution in (INVALID, INCOMPLETE)`],
    ['ALL+', 'TRUE'],
    ['ALL AND alias:x', 'alias~x'],
    ['--comments NEW', 'bug_status in (NEW)'],
  ])('%s asks for statuses', (text, expected) => {
    expect(print(text)).toBe(expected)
  })

  test.each([
    ['"NEW"', plain('NEW')],
    ['"ALL"', plain('ALL')],
    ['New', plain('New')],
    ['NEW1', plain('NEW1')],
    ['-RESOLVED', `NOT (${plain('RESOLVED')})`],
    ['NOT RESOLVED', `NOT (${plain('RESOLVED')})`],
    ['UNCO|x', `${plain('UNCO')} OR ${plain('x')}`],
    ['UNCO OR x', `${plain('UNCO')} OR ${plain('x')}`],
    ['NOTHING', plain('NOTHING')],
    ['_', plain('_')],
    ['NOTHING+', plain('NOTHING+')],
    ['+', plain('+')],
    ['x NEW', `(${plain('x')}) AND (${plain('NEW')})`],
    ['alias: NEW', plain('NEW')],
  ])('%s is an ordinary word', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })

  test('means statuses of the configuration, whatever their case', () => {
    const statuses = [
      { name: 'Ready', isOpen: true },
      { name: 'Done', isOpen: false },
    ]
    const configuration = { ...CONFIGURATION, statuses }
    expect(print('READ', { configuration })).toBe('bug_status in (Ready)')
    expect(print('FIX', { configuration })).toBe('bug_status in (Done) AND resolution in (FIXED)')
    expect(printOpen('NEW', { configuration })).toBe(plain('NEW'))
  })
})
