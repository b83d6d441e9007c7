import { describe, expect, test } from 'vitest'
import {
  describePlan,
  type PresentWorkflow,
  planPreset,
} from '../../../../src/tracker/fields/presets/plan.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'

const NAMES = ['UNCONFIRMED', 'CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'VERIFIED']

function buildStatus(name: string, sortKey: number, more: object = {}) {
  return {
    ...{ id: sortKey, name, nameFold: name.toLowerCase(), sortKey, isActive: true },
    ...{ description: '', isOpen: sortKey < 400, revision: 1, ...more },
  }
}

function buildWorkflow(...more: ReturnType<typeof buildStatus>[]): PresentWorkflow {
  const statuses = NAMES.map((name, index) => buildStatus(name, 100 * (index + 1)))
  return { statuses: [...statuses, ...more], transitions: [] }
}

const addedBy = (workflow: PresentWorkflow) =>
  planPreset('classic', workflow).values.map(({ name, sortKey, isOpen }) => [name, sortKey, isOpen])

describe('the plan of a preset', () => {
  test('adds open statuses before CONFIRMED and closed ones behind all others', () => {
    expect(addedBy(buildWorkflow(buildStatus('DONE', 900)))).toEqual([
      ['NEW', 120, true],
      ['ASSIGNED', 140, true],
      ['REOPENED', 160, true],
      ['CLOSED', 1000, false],
    ])
  })

  test('adds no status that is there, puts an inactive one back into use, and keeps its details', () => {
    const workflow = buildWorkflow(
      buildStatus('New', 30),
      buildStatus('CLOSED', 700, { isActive: false, description: 'Done.' }),
    )
    const plan = planPreset('classic', workflow)
    expect(plan.values.map(({ id, name }) => [id, name])).toEqual([
      [null, 'ASSIGNED'],
      [null, 'REOPENED'],
      [700, 'CLOSED'],
    ])
    expect(plan.values[2]).toMatchObject({ isActive: true, description: 'Done.', sortKey: 700 })
    expect(describePlan(plan, workflow).find(({ id }) => id === 700)?.changes).toEqual({
      is_active: { removed: '0', added: '1' },
      can_change_to: { removed: '', added: 'UNCONFIRMED, CONFIRMED, REOPENED' },
    })
  })

  test('is refused for a status that is open in one and closed in the other', async () => {
    const workflow = buildWorkflow(buildStatus('CLOSED', 300))
    expect(await catchFaultCode(() => planPreset('classic', workflow))).toBe(32_000)
  })

  test('adds only moves that are missing, between statuses that exist', () => {
    const { statuses } = buildWorkflow(buildStatus('NEW', 110), buildStatus('CLOSED', 700))
    const workflow = {
      statuses: statuses.filter(({ name }) => name !== 'VERIFIED'),
      transitions: [
        { fromId: null, toId: 110, commentRequired: false },
        { fromId: 110, toId: 700, commentRequired: true },
      ],
    }
    const { moves } = planPreset('classic', workflow)
    const texts = moves.map(({ from, to }) => `${from} ${to}`)
    expect(texts).toContain('null assigned')
    expect(texts).toContain('confirmed closed')
    expect(texts).not.toContain('null new')
    expect(texts).not.toContain('new closed')
    expect(texts.filter((text) => text.includes('verified'))).toEqual([])
  })
})
