import { expect, test } from 'vitest'
import * as z from 'zod'
import { toJsonSchema } from '../../../../src/platform/http/openapi/json-schema.ts'
import { clearableText, datetime } from '../../../../src/platform/http/operations/shapes.ts'

test('says of a time its format alone, and of a whole number nothing more', () => {
  const shape = z.strictObject({ when: z.iso.datetime(), id: z.int(), rank: z.int().min(3) })
  expect(toJsonSchema(shape, 'output')).toEqual({
    type: 'object',
    properties: {
      when: { type: 'string', format: 'date-time' },
      id: { type: 'integer' },
      rank: { type: 'integer', minimum: 3 },
    },
    required: ['when', 'id', 'rank'],
    additionalProperties: false,
  })
})

test('names the types of a value once', () => {
  const shape = z.object({ alias: clearableText(), since: datetime() })
  expect(toJsonSchema(shape, 'input').properties).toEqual({
    alias: { type: ['string', 'null'] },
    since: { type: 'string', format: 'date-time' },
  })
})

test('says that the members of a record are free', () => {
  expect(toJsonSchema(z.record(z.string(), z.boolean()), 'output')).toEqual({
    type: 'object',
    additionalProperties: { type: 'boolean' },
  })
})

test('says which shorter form an object has', () => {
  const shape = z.object({ name: z.string() }).meta({ shortForm: { type: 'string' } })
  expect(toJsonSchema(z.array(shape), 'input').items).toEqual({
    anyOf: [
      { type: 'string' },
      { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    ],
  })
})
