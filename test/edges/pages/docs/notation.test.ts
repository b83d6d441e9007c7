import { expect, test } from 'vitest'
import { writeType } from '../../../../src/edges/pages/docs/notation.ts'

const ID = { type: 'integer' }

test.each([
  [ID, 'integer'],
  [{}, 'any'],
  [{ type: 'string', format: 'date-time' }, 'datetime'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ anyOf: [ID, { type: 'null' }, ID] }, 'integer | null'],
  [{ const: true }, 'true'],
  [{ enum: ['?', '+'] }, '"?" | "+"'],
  [{ type: 'array', items: ID }, 'integer[]'],
  [{ type: 'array', items: { type: ['integer', 'string'] } }, '(integer | string)[]'],
  [{ type: 'object' }, '{}'],
  [{ type: 'object', properties: { id: ID }, required: ['id'] }, '{\n  id: integer\n}'],
  [{ type: 'object', properties: { 'a.b': ID } }, '{\n  "a.b"?: integer\n}'],
  [{ type: 'object', additionalProperties: ID }, '{\n  [name]: integer\n}'],
  [
    {
      type: 'array',
      items: { type: 'object', properties: { in: { type: 'object', properties: { id: ID } } } },
    },
    '{\n  in?: {\n    id?: integer\n  }\n}[]',
  ],
])('%j is written as %s', (schema, text) => {
  expect(writeType(schema)).toBe(text)
})

test('what lies very deep is named by its kind', () => {
  let schema: Record<string, unknown> = { type: 'object', properties: { id: ID } }
  for (let level = 0; level < 10; level += 1) {
    schema = { type: 'object', properties: { in: schema } }
  }
  expect(writeType(schema)).toContain('in?: object')
})
