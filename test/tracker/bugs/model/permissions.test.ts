import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../src/platform/faults/fault.ts'
import { assertMayChange } from '../../../../src/tracker/bugs/model/permissions.ts'
import type { Standing } from '../../../../src/tracker/bugs/model/standing.ts'

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

type PersonName = keyof typeof PEOPLE

/** Who may change which field; everybody else gets 115. */
const MATRIX: readonly [fields: string[], who: PersonName[]][] = [
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
    (Object.keys(PEOPLE) as PersonName[]).map((who) => ({
      field,
      who,
      isAllowed: allowed.includes(who),
    })),
  ),
)

function changeOf(
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
  test.each(CASES)('is for $field and the $who: $isAllowed', ({ field, who, isAllowed }) => {
    if (isAllowed) {
      expect(changeOf(field, PEOPLE[who])).not.toThrow()
    } else {
      expect(changeOf(field, PEOPLE[who])).toThrow(Fault)
    }
  })

  test('is refused with 115 and a message that names the field, both values and the people who have it', () => {
    expect(changeOf('summary', STRANGER)).toThrow(
      expect.objectContaining({
        code: 115,
        message: expect.stringMatching(/'summary' from 'before' to 'after'; the reporter, the/),
      }),
    )
    expect(changeOf('assigned_to', PEOPLE.reporter)).toThrow(/; the assignee or somebody/)
  })

  test.each([
    ['editor', true],
    ['assignee', true],
    ['reporter', false],
    ['stranger', false],
  ] as const)(
    'is for the priority and the %s, when reporters do not choose it: %s',
    (who, isAllowed) => {
      const change = changeOf('priority', PEOPLE[who], false)
      if (isAllowed) {
        expect(change).not.toThrow()
      } else {
        expect(change).toThrow(/; the assignee or somebody with editbugs may/)
      }
    },
  )

  test.each(
    (['deadline', 'estimated_time', 'remaining_time', 'work_time'] as const).flatMap((field) =>
      (Object.keys(PEOPLE) as PersonName[]).map((who) => [field, who] as const),
    ),
  )('is refused for %s to the %s when they do not track time', (field, who) => {
    const previous = field === 'deadline' ? 'before' : ''
    expect(changeOf(field, PEOPLE[who], true, false)).toThrow(
      expect.objectContaining({
        code: 115,
        message: expect.stringContaining(
          `from '${previous}' to 'after'; members of the time-tracking`,
        ),
      }),
    )
  })
})
