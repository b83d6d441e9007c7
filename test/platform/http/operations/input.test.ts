import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as shapes from '../../../../src/platform/http/operations/shapes.ts'
import { buildEchoService, fetchFrom } from '../../../support/clients/service.ts'

const input = z.object({
  id: shapes.id(),
  needed: z.string(),
  nested: z
    .strictObject({ when: shapes.datetime(), how: z.enum(['slow', 'fast']).optional() })
    .optional(),
  most: shapes.count(),
  odd: z
    .unknown()
    .optional()
    .superRefine((value, ctx) => {
      if (value !== undefined) {
        ctx.addIssue({ code: 'custom', message: 'is odd' })
      }
    }),
})

const service = buildEchoService(['PUT', '/thing/:id', input], ['GET', '/thing/:id', input])

async function fetchFault(path: string, content: object): Promise<unknown> {
  const answer = await fetchFrom(service, path, { method: 'PUT', body: JSON.stringify(content) })
  return { status: answer.status, ...(await answer.json<object>()) }
}

const cases: [string, string, object, number, string][] = [
  ['a missing parameter', '/rest/thing/1', {}, 50, "The parameter 'needed' is required."],
  [
    'a parameter of a wrong type',
    '/rest/thing/1',
    { needed: 5 },
    53,
    "The parameter 'needed' must be of the type string.",
  ],
  [
    'null for a required parameter',
    '/rest/thing/1',
    { needed: null },
    53,
    "The parameter 'needed' must be of the type string.",
  ],
  [
    'a member of a wrong form',
    '/rest/thing/1',
    { needed: 'x', nested: { how: 'odd' } },
    53,
    "The parameter 'nested.how' has a wrong form.",
  ],
  [
    'a member with an invalid date',
    '/rest/thing/1',
    { needed: 'x', nested: { when: 'soon' } },
    56,
    "'soon' in 'nested.when' is not a date; write YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ.",
  ],
  [
    'an invalid number in the path',
    '/rest/thing/one',
    { needed: 'x' },
    52,
    "'id' must be a whole number above zero, not 'one'.",
  ],
  [
    'a count below zero',
    '/rest/thing/1',
    { needed: 'x', most: -1 },
    52,
    "'most' must be a whole number, 0 or more, not '-1'.",
  ],
  [
    'a value that violates a rule of the shape',
    '/rest/thing/1',
    { needed: 'x', odd: 1 },
    53,
    "The parameter 'odd' is odd.",
  ],
]

describe('invalid input', () => {
  test.each(cases)(
    'is rejected with a fault that names the parameter for %s',
    async (_, path, content, code, message) => {
      expect(await fetchFault(path, content)).toEqual({ status: 400, error: true, code, message })
    },
  )

  test('is rejected for the path first, then for the first parameter', async () => {
    expect(await fetchFault('/rest/thing/one', {})).toMatchObject({ code: 52 })
  })
})

describe('valid input', () => {
  test('reaches the verb as its shape parses it, without unknown parameters', async () => {
    const answer = await fetchFrom(service, '/rest/thing/7?needed=x&most=3&unknown=1')
    expect(await answer.json()).toEqual({ id: 7, needed: 'x', most: 3 })
  })
})
