import { expect, test } from 'vitest'
import { setQuotaHeaders } from '../../../../src/platform/http/response/quota-headers.ts'

test.each([
  [5, '"reads";r=5;t=17', null],
  [0, '"reads";r=0;t=17', null],
  [-1, '"reads";r=0;t=17', '17'],
  [Number.NEGATIVE_INFINITY, '"reads";r=0;t=17', '17'],
])('%d left is %s, to be sent again after %s', (left, limit, retryAfter) => {
  const headers = new Headers()
  setQuotaHeaders(headers, { name: 'reads', limit: 6000, left, seconds: 17 })
  expect(Object.fromEntries(headers)).toEqual({
    'ratelimit-policy': '"reads";q=6000;w=60',
    ratelimit: limit,
    ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
  })
})
