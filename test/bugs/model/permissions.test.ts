import { describe, expect, test } from 'vitest'
import { assertMayChange } from '../../../src/bugs/model/permissions.ts'
import type { Standing } from '../../../src/bugs/model/standing.ts'
import { Fault } from '../../../src/faults.ts'

const STRANGER: Standing = {
  editBugs: false,
  canConfirm: false,
  isAssigneeOrQa: false,
  isReporter: false,
}

const PEOPLE = {
  editor: { ...STRANGER, editBugs: true },
  confirmer: { ...STRANGER, canConfirm: true },
  assignee: { ...STRANGER, isAssigneeOrQa: true },
  reporter: { ...STRANGER, isReporter: true },
  stranger: STRANGER,
} satisfies Record<string, Standing>

type Name = keyof typeof PEOPLE

/** Who may change which field; everybody else gets 115. */
const MATRIX: readonly [fields: string[], who: Name[]][] = [
  [
    [
      'summary',
      'alias',
      'url',
      'whiteboard',
      'platform',
      'op_sys',
      'severity',
      'type',
      'product',
      'component',
      'version',
      'priority',
      'deadline',
      'estimated_time',
      'remaining_time',
      'work_time',
      'is_cc_accessible',
      'is_creator_accessible',
    ],
    ['editor', 'assignee', 'reporter'],
  ],
  [
    ['assigned_to', 'qa_contact', 'target_milestone'],
    ['editor', 'assignee'],
  ],
]

const CASES = MATRIX.flatMap(([fields, allowed]) =>
  fields.flatMap((field) =>
    (Object.keys(PEOPLE) as Name[]).map((who) => ({ field, who, may: allowed.includes(who) })),
  ),
)

function attempt(
  field: string,
  standing: Standing,
  submitterChoosesPriority = true,
  tracksTime = true,
) {
  return () =>
    assertMayChange({
      field,
      from: 'before',
      to: 'after',
      standing,
      tracksTime,
      settings: { SUBMITTER_CHOOSES_PRIORITY: submitterChoosesPriority },
    })
}

describe('the right to change a field', () => {
  test.each(CASES)('$field by the $who: $may', ({ field, who, may }) => {
    if (may) {
      expect(attempt(field, PEOPLE[who])).not.toThrow()
    } else {
      expect(attempt(field, PEOPLE[who])).toThrow(Fault)
    }
  })

  test('a refusal is 115 and names the field, both values and who may', () => {
    expect(attempt('summary', STRANGER)).toThrow(
      expect.objectContaining({
        code: 115,
        message: expect.stringMatching(/'summary' from 'before' to 'after'; the reporter, the/),
      }),
    )
    expect(attempt('assigned_to', PEOPLE.reporter)).toThrow(/; the assignee or somebody/)
  })

  test.each([
    ['editor', true],
    ['assignee', true],
    ['reporter', false],
    ['stranger', false],
  ] as const)('priority by the %s, where reporters do not choose it: %s', (who, may) => {
    const asked = attempt('priority', PEOPLE[who], false)
    if (may) {
      expect(asked).not.toThrow()
    } else {
      expect(asked).toThrow(/; the assignee or somebody with editbugs may/)
    }
  })

  test.each(
    (['deadline', 'estimated_time', 'remaining_time', 'work_time'] as const).flatMap((field) =>
      (Object.keys(PEOPLE) as Name[]).map((who) => [field, who] as const),
    ),
  )('%s by the %s, who does not track time: false', (field, who) => {
    const told = field === 'deadline' ? 'before' : ''
    expect(attempt(field, PEOPLE[who], true, false)).toThrow(
      expect.objectContaining({
        code: 115,
        message: expect.stringContaining(`from '${told}' to 'after'; members of the time-tracking`),
      }),
    )
  })
})
