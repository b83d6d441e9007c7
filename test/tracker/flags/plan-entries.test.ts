import { describe, expect, test } from 'vitest'
import type { FlagInput } from '../../../src/tracker/flags/input.ts'
import type { CurrentFlag } from '../../../src/tracker/flags/load.ts'
import {
  ANN,
  BOB,
  buildStandingFlag,
  decideFlags,
  REQUESTED_OF_ANN,
  summarizeEdits,
} from '../../support/worlds/flag-rules.ts'

describe('an entry', () => {
  const review = buildStandingFlag(1, '+')
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
      [buildStandingFlag(1, '?')],
      [{ name: 'review', status: '+' }],
      ['review?', 'review+'],
    ],
    [
      'by type changes the one that is there',
      [buildStandingFlag(1, '?')],
      [{ type_id: 1, status: '-' }],
      ['review?', 'review-'],
    ],
    [
      'by ID changes one of several',
      [review, buildStandingFlag(1, '?')],
      [{ id: review.id, name: 'ignored', new: true, status: '-' }],
      ['review+', 'review-'],
    ],
    [
      'that is new makes another one',
      [buildStandingFlag(1, '?'), buildStandingFlag(1, '?')],
      [{ name: 'review', status: '+', new: true }],
      ['', 'review+'],
    ],
    ['clears', [buildStandingFlag(1, '+')], [{ name: 'review', status: 'X' }], ['review+', '']],
    ['that clears nothing is passed over', [], [{ name: 'review', status: 'X' }], ['', '']],
    [
      'that clears a new one is passed over',
      [buildStandingFlag(1, '+')],
      [{ name: 'review', status: 'X', new: true }],
      ['', ''],
    ],
    [
      'that changes nothing is none',
      [buildStandingFlag(1, '+')],
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
      [buildStandingFlag(1, '?', REQUESTED_OF_ANN)],
      [{ name: 'review', status: '?', requestee: BOB.login }],
      ['review?(ann@example.test)', 'review?(bob@example.test)'],
    ],
    [
      'without a requestee asks nobody any more',
      [buildStandingFlag(1, '?', REQUESTED_OF_ANN)],
      [{ name: 'review', status: '?' }],
      ['review?(ann@example.test)', 'review?'],
    ],
    [
      'that answers a request removes its requestee and sets no other',
      [buildStandingFlag(1, '?', REQUESTED_OF_ANN)],
      [{ name: 'review', status: '+', requestee: 'nobody at all' }],
      ['review?(ann@example.test)', 'review+'],
    ],
    [
      'keeps a request that nobody could make now',
      [buildStandingFlag(4, '?', REQUESTED_OF_ANN)],
      [{ name: 'answer', status: '?', requestee: ANN.login }],
      ['', ''],
    ],
    [
      'changes a flag of a type that is not active',
      [buildStandingFlag(3, '?')],
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
        { name: 'review', status: '?', requestee: ANN.login },
        { name: 'review', status: '?', requestee: BOB.login },
      ],
      ['', 'review?(ann@example.test), review?(bob@example.test)'],
    ],
    [
      'finds room that an entry ahead has made',
      [buildStandingFlag(2, '+')],
      [
        { name: 'single', status: 'X' },
        { name: 'single', status: '-' },
      ],
      ['single+', 'single-'],
    ],
    [
      'records nothing when a flag is removed and set again alike',
      [buildStandingFlag(2, '+')],
      [
        { name: 'single', status: 'X' },
        { name: 'single', status: '+' },
      ],
      ['', ''],
    ],
  ])('%s', (_, flags, inputs, words) => {
    expect(summarizeEdits(decideFlags(flags, inputs))).toEqual(words)
  })

  test.each<[number, string, CurrentFlag[], FlagInput]>([
    [50, 'type_id', [], { status: '?' }],
    [129, 'review', [], { name: 'review' }],
    [129, 'nonsense', [], { name: 'review', status: 'nonsense' }],
    [129, 'answer', [], { name: 'answer', status: '?' }],
    [129, 'answer', [buildStandingFlag(4, '+')], { name: 'answer', status: '?' }],
    [51, '999', [buildStandingFlag(1, '?')], { id: 999, status: '+' }],
    [51, 'unknown', [], { name: 'unknown', status: '+' }],
    [51, 'REVIEW', [], { name: 'REVIEW', status: '+' }],
    [51, '12', [], { type_id: 12, status: '+' }],
    [51, '10', [], { type_id: 10, status: '+' }],
    [
      132,
      'review',
      [buildStandingFlag(1, '?'), buildStandingFlag(1, '+')],
      { name: 'review', status: '+' },
    ],
    [132, '1', [buildStandingFlag(1, '?'), buildStandingFlag(1, '+')], { type_id: 1, status: '+' }],
    [133, 'twin', [], { name: 'twin', status: '+' }],
    [133, 'heir', [buildStandingFlag(9, '+')], { name: 'heir', status: '-' }],
    [134, 'retired', [], { name: 'retired', status: '+' }],
    [134, 'retired', [], { type_id: 3, status: '?' }],
    [32000, 'single', [buildStandingFlag(2, '+')], { name: 'single', status: '?', new: true }],
    [130, 'guarded', [], { name: 'guarded', status: '?' }],
    [130, 'guarded', [], { name: 'guarded', status: '+' }],
    [130, 'guarded', [buildStandingFlag(5, '?')], { name: 'guarded', status: 'X' }],
    [130, 'guarded', [buildStandingFlag(5, '-')], { name: 'guarded', status: '?' }],
  ])('is refused with %i naming %s', (code, naming, flags, input) => {
    expect(() => decideFlags(flags, [input])).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(naming) }),
    )
  })

  test('that would set a second flag of a type with room for one is refused in one request too', () => {
    const entry = { name: 'single', status: '?' }
    expect(() => decideFlags([], [entry, entry])).toThrow(expect.objectContaining({ code: 32000 }))
  })

  test('about a flag that is gone by an entry ahead is refused', () => {
    const flag = buildStandingFlag(1, '+')
    const entries = [
      { id: flag.id, status: 'X' },
      { id: flag.id, status: '-' },
    ]
    expect(() => decideFlags([flag], entries)).toThrow(expect.objectContaining({ code: 51 }))
  })
})
