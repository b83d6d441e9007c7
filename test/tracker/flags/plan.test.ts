import { describe, expect, test } from 'vitest'
import type { FlagInput } from '../../../src/tracker/flags/input.ts'
import type { CurrentFlag } from '../../../src/tracker/flags/load.ts'
import {
  changesFlags,
  type FlaggedAttachment,
  onlyAnswers,
} from '../../../src/tracker/flags/plan-edits.ts'
import type { FlaggedBug } from '../../../src/tracker/flags/rules.ts'
import {
  ANN,
  BOB,
  BUG,
  buildFlagRules,
  buildStandingFlag,
  CALLER,
  decideFlags,
  GRANTER,
  REQUESTED_OF_ANN,
  summarizeEdits,
  THERE,
} from '../../support/worlds/flag-rules.ts'

describe('who set a flag', () => {
  test.each<[string, CurrentFlag, FlagInput, number]>([
    [
      'is who changes its status',
      buildStandingFlag(1, '+'),
      { name: 'review', status: '-' },
      CALLER.id,
    ],
    ['is who answers', buildStandingFlag(1, '?'), { name: 'review', status: '+' }, CALLER.id],
    [
      'stays the requester when the requestee changes',
      buildStandingFlag(1, '?', REQUESTED_OF_ANN),
      { name: 'review', status: '?', requestee: BOB.login },
      50,
    ],
  ])('%s', (_, flag, input, setterId) => {
    expect(decideFlags([flag], [input]).updates[0]?.after.setterId).toBe(setterId)
  })
})

describe('a new requestee', () => {
  test('is counted as new only if the flag did not name them before and they are not the reporter', () => {
    const flags = [buildStandingFlag(1, '?', REQUESTED_OF_ANN), buildStandingFlag(2, '?')]
    const asking = (requestee: string) => [
      { name: 'review', status: '?', requestee: ANN.login },
      { name: 'single', status: '?', requestee },
    ]
    expect(decideFlags(flags, asking(BOB.login)).newRequesteeIds).toEqual([])
    expect(decideFlags(flags, asking(ANN.login)).newRequesteeIds).toEqual([ANN.id])
  })
})

describe('a bug with 500 flags, some of them of attachments', () => {
  const flags = Array.from({ length: 500 }, (_, n) =>
    n < 300
      ? buildStandingFlag(1, '+', { id: 1000 + n })
      : buildStandingFlag(10, '+', { id: 1000 + n, attachmentId: 9 }),
  )
  const add = { name: 'review', status: '+', new: true }

  test('takes no other one', () => {
    expect(() => decideFlags(flags, [add])).toThrow("'flags' may leave at most 500 flags")
    expect(() => buildFlagRules(flags).planBugFlags(BUG, [add], 'bug_flags')).toThrow("'bug_flags'")
    const rules = buildFlagRules(flags)
    expect(() => rules.planAttachmentFlags(BUG, { id: 8, isPrivate: false }, [add])).toThrow('500')
  })

  test('takes no more in several places than in one', () => {
    const rules = buildFlagRules(flags.slice(1))
    expect(rules.planBugFlags(BUG, [add])[0]?.creates).toHaveLength(1)
    expect(() => rules.planAttachmentFlags(BUG, { id: 9, isPrivate: false }, [add])).toThrow('500')
  })

  test('takes another one for one that goes', () => {
    expect(decideFlags(flags, [{ id: 1000, status: 'X' }, add]).creates).toHaveLength(1)
    expect(decideFlags(flags.slice(1), [add]).creates).toHaveLength(1)
  })

  test('changes those that it has, also when it has more', () => {
    const more = [...flags, buildStandingFlag(1, '+', { id: 2000 })]
    expect(decideFlags(more, [{ id: 1000, status: '-' }]).updates).toHaveLength(1)
    expect(decideFlags(more, [{ id: 1000, status: 'X' }]).clears).toHaveLength(1)
  })
})

describe('a bug that moves', () => {
  const moved: FlaggedBug = { ...BUG, ...THERE }
  const planMove = (flags: CurrentFlag[], inputs: FlagInput[] = []) =>
    buildFlagRules(flags).planBugFlags(moved, inputs)

  test('keeps flags whose types apply there', () => {
    expect(planMove([buildStandingFlag(1, '?')]).map(changesFlags)).toEqual([false])
  })

  test('loses flags whose types do not', () => {
    const flag = buildStandingFlag(14, '+')
    const [edits] = planMove([flag])
    expect(edits).toMatchObject({ clears: [flag], removed: 'far+', added: '' })
  })

  test('moves a flag to a type of the same name that its setter might have set, without recording it', () => {
    const flag = buildStandingFlag(11, '+', { setterId: GRANTER.id })
    const [edits] = planMove([flag])
    expect(edits).toMatchObject({ clears: [], removed: '', added: '' })
    expect(edits?.updates).toMatchObject([
      {
        before: { id: flag.id },
        after: { type: { id: 12 }, setterId: GRANTER.id },
        isRecorded: false,
      },
    ])
  })

  test('hands over no flag that its setter might not have set, nor a second where one has room', () => {
    const mine = buildStandingFlag(11, '?', { setterId: ANN.id })
    const first = buildStandingFlag(11, '+', { setterId: GRANTER.id })
    const second = buildStandingFlag(11, '?', { setterId: GRANTER.id })
    const [edits] = planMove([mine, first, second])
    expect(edits?.clears).toEqual([mine, second])
    expect(edits?.updates.map(({ before }) => before)).toEqual([first])
  })

  test('moves or clears the flags of its attachments as well', () => {
    const flag = buildStandingFlag(13, '?', { attachmentId: 90 })
    const [own, other] = planMove([flag, buildStandingFlag(10, '?', { attachmentId: 91 })])
    expect(own && changesFlags(own)).toBe(false)
    expect(other).toMatchObject({ attachment: { id: 90 }, clears: [flag], removed: 'elsewhere?' })
  })

  test('takes entries by the types of the place it moves to', () => {
    expect(() => planMove([], [{ name: 'far', status: '+' }])).toThrow(
      expect.objectContaining({ code: 51 }),
    )
  })
})

describe('an attachment', () => {
  const paper: FlaggedAttachment = { id: 90, isPrivate: false }
  const on = (flags: CurrentFlag[], attachment: FlaggedAttachment, inputs: FlagInput[]) =>
    buildFlagRules(flags.map((flag) => ({ ...flag, attachmentId: 90 }))).planAttachmentFlags(
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
    const request = buildStandingFlag(10, '?', REQUESTED_OF_ANN)
    const edits = on([request, buildStandingFlag(13, '+')], { ...paper, becomesObsolete: true }, [
      { id: request.id, status: '+' },
      { name: 'review', status: '-' },
    ])
    expect(summarizeEdits(edits)).toEqual(['review?(ann@example.test)', ''])
  })

  test('that is private can be requested of insiders alone', () => {
    const entry = { name: 'review', status: '?', requestee: ANN.login }
    expect(() => on([], { ...paper, isPrivate: true }, [entry])).toThrow(
      expect.objectContaining({ code: 32000 }),
    )
  })

  test.each<[boolean, string, CurrentFlag, FlagInput]>([
    [
      true,
      'the setter changes',
      buildStandingFlag(10, '?', { setterId: 7 }),
      { name: 'review', status: 'X' },
    ],
    [
      true,
      'the requestee answers',
      buildStandingFlag(10, '?', { requesteeId: 7 }),
      { name: 'review', status: '+' },
    ],
    [false, 'somebody else changes', buildStandingFlag(10, '?'), { name: 'review', status: '+' }],
    [false, 'a new one comes', buildStandingFlag(13, '?'), { name: 'review', status: '+' }],
  ])('is only answered (%s) when %s', (only, _, flag, input) => {
    expect(onlyAnswers(on([flag], paper, [input]), CALLER.id)).toBe(only)
  })
})

test('a decision rests on the types that it touches', () => {
  const flags = [buildStandingFlag(1, '+'), buildStandingFlag(2, '?')]
  const { types, currentFlags } = decideFlags(flags, [{ name: 'review', status: 'X' }])
  expect(types.map(({ id }) => id)).toEqual([1])
  expect(currentFlags).toEqual(flags)
})
