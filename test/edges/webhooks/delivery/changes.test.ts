import { describe, expect, test } from 'vitest'
import { presentChanges } from '../../../../src/edges/webhooks/delivery/changes.ts'

const present = (field: string, removed: string, added: string, isSelect = false) =>
  presentChanges([{ field, removed, added, isSelect }])

describe('a change in a message', () => {
  test.each([
    ['status', 'UNCONFIRMED', 'IN_PROGRESS', 'status', 'UNCONFIRMED', 'IN_PROGRESS'],
    ['priority', '--', 'P4', 'priority', '', 'P4'],
    ['target_milestone', '9.0', '---', 'target_milestone', '9.0', ''],
    ['version', '---', '--', 'version', '---', '--'],
    ['attachments.description', 'a', 'b', 'description', 'a', 'b'],
    ['attachments.filename', 'a', 'b', 'file_name', 'a', 'b'],
    ['attachments.mimetype', 'a', 'b', 'content_type', 'a', 'b'],
    ['attachments.isobsolete', '0', '1', 'is_obsolete', '0', '1'],
    ['attachments.ispatch', '0', '1', 'is_patch', '0', '1'],
    ['attachments.isprivate', '1', '0', 'is_private', '1', '0'],
  ])('of %s from %s to %s', (field, removed, added, ...presented) => {
    const [name, before, after] = presented
    expect(present(field, removed, added)).toEqual([{ field: name, removed: before, added: after }])
  })

  test('of a custom field with one value has nothing for no value', () => {
    expect(present('cf_a', '---', 'b', true)).toEqual([{ field: 'cf_a', removed: '', added: 'b' }])
    expect(present('cf_a', '---', 'b')).toEqual([{ field: 'cf_a', removed: '---', added: 'b' }])
  })

  test('of flags is one for each name, with whom is asked in brackets', () => {
    const removed = 'review?(ann@example.test), needinfo?(a), needinfo?(b)'
    expect(present('flagtypes.name', removed, 'review+, c++-')).toEqual([
      { field: 'flag.review', removed: '? (ann@example.test)', added: '+' },
      { field: 'flag.needinfo', removed: '? (a), ? (b)', added: '' },
      { field: 'flag.c++', removed: '', added: '-' },
    ])
  })

  test('without a difference is left out', () => {
    expect(present('see_also', '', '')).toEqual([])
    expect(present('priority', '--', '---')).toEqual([])
  })
})
