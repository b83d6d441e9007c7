import { expect, test } from 'vitest'
import { fitExample } from '../../../../src/platform/http/openapi/example.ts'

const BUG = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    alias: { type: ['string', 'null'] },
    changed: { type: 'string', format: 'date-time' },
    cc: { type: 'array', items: { type: 'string' } },
    error: { const: true },
    status: { enum: ['?', '+'] },
    person: { anyOf: [{ type: 'object', properties: {}, required: [] }, { type: 'null' }] },
  },
  required: ['id'],
  additionalProperties: false,
}

test.each([
  ['keeps what is valid', BUG, { id: 3, alias: null }, { id: 3, alias: null }],
  [
    'turns a number into the text that the schema wants',
    BUG,
    { id: 3, alias: 4 },
    { id: 3, alias: '4' },
  ],
  ['replaces what the page leaves open', BUG, { id: '…', alias: '…' }, { id: 1, alias: 'text' }],
  [
    'replaces a time that is no time',
    BUG,
    { id: 1, changed: '20…Z' },
    { id: 1, changed: '2026-03-04T05:06:07Z' },
  ],
  ['leaves out open items of a list', BUG, { id: 1, cc: ['a', '…'] }, { id: 1, cc: ['a'] }],
  ['turns what is no list into an empty one', BUG, { id: 1, cc: '…' }, { id: 1, cc: [] }],
  ['adds members that the schema demands', BUG, {}, { id: 1 }],
  ['leaves out members that the schema forbids', BUG, { id: 1, other: 2 }, { id: 1 }],
  [
    'takes the only value that there is',
    BUG,
    { id: 1, error: 1, status: 'x' },
    { id: 1, error: true, status: '?' },
  ],
  ['chooses the alternative that fits', BUG, { id: 1, person: null }, { id: 1, person: null }],
  [
    'fits the values of a record',
    { type: 'object', additionalProperties: { type: 'integer' } },
    { a: '7' },
    { a: 7 },
  ],
  ['lets through what no schema describes', {}, { any: ['thing'] }, { any: ['thing'] }],
])('%s', (_title, schema, given, fitted) => {
  expect(fitExample(schema, given)).toEqual(fitted)
})
