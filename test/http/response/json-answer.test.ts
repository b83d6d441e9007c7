import { expect, test } from 'vitest'
import { addConstantHeaders, jsonAnswer } from '../../../src/http/response/json-answer.ts'

test('an answer of JSON carries what all answers carry, and its own type and status', async () => {
  const answer = jsonAnswer('{"a":1}', 201)
  expect(answer.status).toBe(201)
  expect(await answer.text()).toBe('{"a":1}')
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'same-origin',
  })
})

test('what is set on one answer stands on no other', () => {
  jsonAnswer('{}', 200).headers.set('x-request-id', 'mine')
  expect(jsonAnswer('{}', 200).headers.has('x-request-id')).toBe(false)
})

test('any other answer gets the same headers but for the type, each once', () => {
  const headers = new Headers({ 'content-type': 'text/plain' })
  addConstantHeaders(headers)
  addConstantHeaders(headers)
  const ofJson = Object.fromEntries(jsonAnswer('{}', 200).headers)
  expect(Object.fromEntries(headers)).toEqual({ ...ofJson, 'content-type': 'text/plain' })
})
