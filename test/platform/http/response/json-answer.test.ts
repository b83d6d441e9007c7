import { expect, test } from 'vitest'
import {
  addConstantHeaders,
  jsonAnswer,
  makePublic,
} from '../../../../src/platform/http/response/json-answer.ts'

test('a JSON answer has the constant headers, its content type and its status', async () => {
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

test('a header that is set on one answer is on no other', () => {
  jsonAnswer('{}', 200).headers.set('x-request-id', 'mine')
  expect(jsonAnswer('{}', 200).headers.has('x-request-id')).toBe(false)
})

test('addConstantHeaders adds each header once and no content type', () => {
  const headers = new Headers({ 'content-type': 'text/plain' })
  addConstantHeaders(headers)
  addConstantHeaders(headers)
  const ofJson = Object.fromEntries(jsonAnswer('{}', 200).headers)
  expect(Object.fromEntries(headers)).toEqual({ ...ofJson, 'content-type': 'text/plain' })
})

test('makePublic names in Vary everything that the response depends on', () => {
  const headers = new Headers({ vary: 'Accept', ratelimit: '"reads";r=1;t=1' })
  makePublic(headers, 30)
  expect(headers.get('cache-control')).toBe('public, max-age=30')
  expect(headers.get('vary')).toContain('Accept, Authorization, X-D1-Bookmark, x-tracker-api-key')
  expect(headers.has('ratelimit')).toBe(false)
})
