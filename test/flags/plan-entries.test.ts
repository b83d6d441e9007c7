import { describe, expect, test } from 'vitest'
import type { FlagInput } from '../../src/flags/input.ts'
import type { CurrentFlag } from '../../src/flags/load.ts'
import { ann, askedOfAnn, bob, decided, standing, told } from '../support/flag-rules.ts'

describe('an entry', () => {
  const review = standing(1, '+')
  test.each<[string, CurrentFlag[], FlagInput[], [string, string]]>([
    [
      'by name makes a flag where there is none',
      [],
      [{ name: 'review', status: '?' }],
      ['', 'review?'],
    ],
    [
      'by type makes a flag where there is none',
      [],
      [{ type_id: 1, status: '+' }],
      ['', 'review+'],
    ],
    [
      'by name changes the one that is there',
      [standing(1, '?')],
      [{ name: 'review', status: '+' }],
      ['review?', 'review+'],
    ],
    [
      'by type changes the one that is there',
      [standing(1, '?')],
      [{ type_id: 1, status: '-' }],
      ['review?', 'review-'],
    ],
    [
      'by ID changes one of several',
      [review, standing(1, '?')],
      [{ id: review.id, name: 'ignored', new: true, status: '-' }],
      ['review+', 'review-'],
    ],
    [
      'that is new makes another one',
      [standing(1, '?'), standing(1, '?')],
      [{ name: 'review', status: '+', new: true }],
      ['', 'review+'],
    ],
    ['clears', [standing(1, '+')], [{ name: 'review', status: 'X' }], ['review+', '']],
    ['that clears nothing is passed over', [], [{ name: 'review', status: 'X' }], ['', '']],
    [
      'that clears a new one is passed over',
      [standing(1, '+')],
      [{ name: 'review', status: 'X', new: true }],
      ['', ''],
    ],
    [
      'that changes nothing is none',
      [standing(1, '+')],
      [{ name: 'review', status: '+' }],
      ['', ''],
    ],
    [
      'asks somebody',
      [],
      [{ name: 'review', status: '?', requestee: 'Ann@example.test' }],
      ['', 'review?(ann@example.test)'],
    ],
    [
      'asks somebody else',
      [standing(1, '?', askedOfAnn)],
      [{ name: 'review', status: '?', requestee: bob.login }],
      ['review?(ann@example.test)', 'review?(bob@example.test)'],
    ],
    [
      'without a requestee asks nobody any more',
      [standing(1, '?', askedOfAnn)],
      [{ name: 'review', status: '?' }],
      ['review?(ann@example.test)', 'review?'],
    ],
    [
      'that answers drops who was asked, and takes no other',
      [standing(1, '?', askedOfAnn)],
      [{ name: 'review', status: '+', requestee: 'nobody at all' }],
      ['review?(ann@example.test)', 'review+'],
    ],
    [
      'keeps a request that nobody could make now',
      [standing(4, '?', askedOfAnn)],
      [{ name: 'answer', status: '?', requestee: ann.login }],
      ['', ''],
    ],
    [
      'changes a flag of a type that is not active',
      [standing(3, '?')],
      [{ name: 'retired', status: '+' }],
      ['retired?', 'retired+'],
    ],
    [
      'means the active one of two types of a name, when the other has no flag',
      [],
      [{ name: 'heir', status: '+' }],
      ['', 'heir+'],
    ],
    [
      'means what stood before the request, not what entries ahead made',
      [],
      [
        { name: 'review', status: '?', requestee: ann.login },
        { name: 'review', status: '?', requestee: bob.login },
      ],
      ['', 'review?(ann@example.test), review?(bob@example.test)'],
    ],
    [
      'finds room that an entry ahead has made',
      [standing(2, '+')],
      [
        { name: 'single', status: 'X' },
        { name: 'single', status: '-' },
      ],
      ['single+', 'single-'],
    ],
    [
      'tells nothing of what goes and comes back alike',
      [standing(2, '+')],
      [
        { name: 'single', status: 'X' },
        { name: 'single', status: '+' },
      ],
      ['', ''],
    ],
  ])('%s', (_, flags, inputs, words) => {
    expect(told(decided(flags, inputs))).toEqual(words)
  })

  test.each<[number, string, CurrentFlag[], FlagInput]>([
    [50, 'type_id', [], { status: '?' }],
    [129, 'review', [], { name: 'review' }],
    [129, 'nonsense', [], { name: 'review', status: 'nonsense' }],
    [129, 'answer', [], { name: 'answer', status: '?' }],
    [129, 'answer', [standing(4, '+')], { name: 'answer', status: '?' }],
    [51, '999', [standing(1, '?')], { id: 999, status: '+' }],
    [51, 'unknown', [], { name: 'unknown', status: '+' }],
    [51, 'REVIEW', [], { name: 'REVIEW', status: '+' }],
    [51, '12', [], { type_id: 12, status: '+' }],
    [51, '10', [], { type_id: 10, status: '+' }],
    [132, 'review', [standing(1, '?'), standing(1, '+')], { name: 'review', status: '+' }],
    [132, '1', [standing(1, '?'), standing(1, '+')], { type_id: 1, status: '+' }],
    [133, 'twin', [], { name: 'twin', status: '+' }],
    [133, 'heir', [standing(9, '+')], { name: 'heir', status: '-' }],
    [134, 'retired', [], { name: 'retired', status: '+' }],
    [134, 'retired', [], { type_id: 3, status: '?' }],
    [32000, 'single', [standing(2, '+')], { name: 'single', status: '?', new: true }],
    [130, 'guarded', [], { name: 'guarded', status: '?' }],
    [130, 'guarded', [], { name: 'guarded', status: '+' }],
    [130, 'guarded', [standing(5, '?')], { name: 'guarded', status: 'X' }],
    [130, 'guarded', [standing(5, '-')], { name: 'guarded', status: '?' }],
  ])('is refused with %i naming %s', (code, naming, flags, input) => {
    expect(() => decided(flags, [input])).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(naming) }),
    )
  })

  test('that would set a second flag of a type with room for one is refused in one request too', () => {
    const entry = { name: 'single', status: '?' }
    expect(() => decided([], [entry, entry])).toThrow(expect.objectContaining({ code: 32000 }))
  })

  test('about a flag that is gone by an entry ahead is refused', () => {
    const flag = standing(1, '+')
    const entries = [
      { id: flag.id, status: 'X' },
      { id: flag.id, status: '-' },
    ]
    expect(() => decided([flag], entries)).toThrow(expect.objectContaining({ code: 51 }))
  })
})
