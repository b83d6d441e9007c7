import { describe, expect, test } from 'vitest'
import { flagInputs } from '../../../src/tracker/flags/input.ts'

const entry = { name: 'review', status: '?' }

describe('flags of a request', () => {
  test.each([
    ['a list', [entry], [entry]],
    ['one alone', entry, [entry]],
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['an empty list', [], []],
    ['a list with gaps', [null, entry], [entry]],
    ['numbers as text', [{ id: '5', type_id: 6, new: '1' }], [{ id: 5, type_id: 6, new: true }]],
    ['null for nothing', [{ ...entry, requestee: null, id: null }], [entry]],
    ['what else there is', [{ ...entry, setter: 'x', creation_date: 'y' }], [entry]],
  ])('may be %s', (_, given, read) => {
    expect(flagInputs().parse(given)).toEqual(read)
  })

  test.each([
    ['a text', ['review?']],
    ['an ID that is none', [{ id: 'x' }]],
    ['a status that is an object', [{ status: {} }]],
    ['more than fifty', Array.from({ length: 51 }, () => entry)],
  ])('may not be %s', (_, given) => {
    expect(flagInputs().safeParse(given).success).toBe(false)
  })
})
