import { describe, expect, test } from 'vitest'
import {
  isPresetName,
  PRESETS,
  unknownStatusFault,
} from '../../../../src/tracker/fields/presets/presets.ts'

describe('a status that does not exist', () => {
  test.each([
    [
      'CLOSED',
      "There is no status named 'CLOSED'. An administrator can add it with the workflow preset 'classic'.",
    ],
    [
      'reopened',
      "There is no status named 'reopened'. An administrator can add it with the workflow preset 'classic'.",
    ],
    ['NOWHERE', "There is no status named 'NOWHERE'."],
  ])('is refused with 51, and the refusal of %s names the preset that has it', (name, message) => {
    expect(unknownStatusFault(name)).toMatchObject({ code: 51, status: 404, message })
  })
})

test('a preset is found by its own name alone', () => {
  expect(['classic', 'Classic', 'toString', ''].map(isPresetName)).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test.each(Object.entries(PRESETS))(
  '%s leads from everywhere to each of its statuses',
  (_, preset) => {
    const targets = Object.values(preset.moves).flat() as string[]
    expect(preset.statuses.filter(({ name }) => !targets.includes(name))).toEqual([])
  },
)
