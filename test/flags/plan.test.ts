import { describe, expect, test } from 'vitest'
import type { FlagInput } from '../../src/flags/input.ts'
import type { CurrentFlag } from '../../src/flags/load.ts'
import { changesFlags, type FlaggedAttachment, onlyAnswers } from '../../src/flags/plan-edits.ts'
import type { FlaggedBug } from '../../src/flags/rules.ts'
import {
  ann,
  askedOfAnn,
  BUG,
  bob,
  caller,
  decided,
  granter,
  rulesOver,
  standing,
  THERE,
  told,
} from '../support/flag-rules.ts'

describe('who set a flag', () => {
  test.each<[string, CurrentFlag, FlagInput, number]>([
    ['is who changes its status', standing(1, '+'), { name: 'review', status: '-' }, caller.id],
    ['is who answers', standing(1, '?'), { name: 'review', status: '+' }, caller.id],
    [
      'stays who asked, when somebody else is asked',
      standing(1, '?', askedOfAnn),
      { name: 'review', status: '?', requestee: bob.login },
      50,
    ],
  ])('%s', (_, flag, input, setterId) => {
    expect(decided([flag], [input]).updates[0]?.after.setterId).toBe(setterId)
  })
})

describe('who is newly asked', () => {
  test('is told apart from who was asked before, and from the reporter', () => {
    const flags = [standing(1, '?', askedOfAnn), standing(2, '?')]
    const asking = (requestee: string) => [
      { name: 'review', status: '?', requestee: ann.login },
      { name: 'single', status: '?', requestee },
    ]
    expect(decided(flags, asking(bob.login)).newRequesteeIds).toEqual([])
    expect(decided(flags, asking(ann.login)).newRequesteeIds).toEqual([ann.id])
  })
})

describe('a bug that moves', () => {
  const moved: FlaggedBug = { ...BUG, ...THERE }
  const settled = (flags: CurrentFlag[], inputs: FlagInput[] = []) =>
    rulesOver(flags).planBugFlags(moved, inputs)

  test('keeps flags whose types apply there', () => {
    expect(settled([standing(1, '?')]).map(changesFlags)).toEqual([false])
  })

  test('loses flags whose types do not', () => {
    const flag = standing(14, '+')
    const [edits] = settled([flag])
    expect(edits).toMatchObject({ clears: [flag], removed: 'far+', added: '' })
  })

  test('hands a flag to a type of the same name that its setter might have set, without a word', () => {
    const flag = standing(11, '+', { setterId: granter.id })
    const [edits] = settled([flag])
    expect(edits).toMatchObject({ clears: [], removed: '', added: '' })
    expect(edits?.updates).toMatchObject([
      {
        before: { id: flag.id },
        after: { type: { id: 12 }, setterId: granter.id },
        isRecorded: false,
      },
    ])
  })

  test('hands over no flag that its setter might not have set, nor a second where one has room', () => {
    const mine = standing(11, '?', { setterId: ann.id })
    const first = standing(11, '+', { setterId: granter.id })
    const second = standing(11, '?', { setterId: granter.id })
    const [edits] = settled([mine, first, second])
    expect(edits?.clears).toEqual([mine, second])
    expect(edits?.updates.map(({ before }) => before)).toEqual([first])
  })

  test('settles the flags of its attachments as well', () => {
    const flag = standing(13, '?', { attachmentId: 90 })
    const [own, other] = settled([flag, standing(10, '?', { attachmentId: 91 })])
    expect(own && changesFlags(own)).toBe(false)
    expect(other).toMatchObject({ attachment: { id: 90 }, clears: [flag], removed: 'elsewhere?' })
  })

  test('takes entries by the types of the place it moves to', () => {
    expect(() => settled([], [{ name: 'far', status: '+' }])).toThrow(
      expect.objectContaining({ code: 51 }),
    )
  })
})

describe('an attachment', () => {
  const paper: FlaggedAttachment = { id: 90, isPrivate: false }
  const on = (flags: CurrentFlag[], attachment: FlaggedAttachment, inputs: FlagInput[]) =>
    rulesOver(flags.map((flag) => ({ ...flag, attachmentId: 90 }))).planAttachmentFlags(
      BUG,
      attachment,
      inputs,
    )

  test('has types of its own', () => {
    const edits = on([], paper, [{ name: 'review', status: '?' }])
    expect(edits.creates[0]?.type.id).toBe(10)
    expect(() => on([], paper, [{ name: 'single', status: '?' }])).toThrow(
      expect.objectContaining({ code: 51 }),
    )
  })

  test('that becomes obsolete drops its requests, and passes over entries about them', () => {
    const request = standing(10, '?', askedOfAnn)
    const edits = on([request, standing(13, '+')], { ...paper, becomesObsolete: true }, [
      { id: request.id, status: '+' },
      { name: 'review', status: '-' },
    ])
    expect(told(edits)).toEqual(['review?(ann@example.test)', ''])
  })

  test('that is private asks nobody but insiders', () => {
    const entry = { name: 'review', status: '?', requestee: ann.login }
    expect(() => on([], { ...paper, isPrivate: true }, [entry])).toThrow(
      expect.objectContaining({ code: 32000 }),
    )
  })

  test.each<[boolean, string, CurrentFlag, FlagInput]>([
    [
      true,
      'the setter changes',
      standing(10, '?', { setterId: 7 }),
      { name: 'review', status: 'X' },
    ],
    [
      true,
      'who was asked answers',
      standing(10, '?', { requesteeId: 7 }),
      { name: 'review', status: '+' },
    ],
    [false, 'somebody else changes', standing(10, '?'), { name: 'review', status: '+' }],
    [false, 'a new one comes', standing(13, '?'), { name: 'review', status: '+' }],
  ])('is only answered (%s) when %s', (only, _, flag, input) => {
    expect(onlyAnswers(on([flag], paper, [input]), caller.id)).toBe(only)
  })
})

test('a decision rests on the types that it touches', () => {
  const flags = [standing(1, '+'), standing(2, '?')]
  const { types, currentFlags } = decided(flags, [{ name: 'review', status: 'X' }])
  expect(types.map(({ id }) => id)).toEqual([1])
  expect(currentFlags).toEqual(flags)
})
