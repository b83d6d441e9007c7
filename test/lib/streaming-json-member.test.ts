import { describe, expect, test } from 'vitest'
import { type Limits, StreamingJsonMember } from '../../src/lib/streaming-json-member.ts'

const ROOM: Limits = { mostKept: 1000, mostText: 10_000, most: 100_000 }

/** What comes of a body that arrives in pieces of one length. */
function divided(body: string, piece = body.length, limits = ROOM) {
  const all = new TextEncoder().encode(body)
  const reader = new StreamingJsonMember('data', limits)
  let isFed = true
  for (let at = 0; at < all.length; at += piece) {
    isFed = isFed && reader.feed(all.subarray(at, at + piece))
  }
  const { text, large } = reader.end()
  const decoder = new TextDecoder()
  const held = large?.blocks.map((block) => decoder.decode(block, { stream: true })).join('')
  return { isFed, text, size: large?.size, held }
}

describe('a large member', () => {
  test.each([
    ['alone', '{"data":"aGVsbG8="}', '{"data":""}', 'hello'],
    ['first', '{ "data" : "aGk=", "a": 1}', '{ "data" : "", "a": 1}', 'hi'],
    ['last', '{"a":"b","data":"aGk="}', '{"a":"b","data":""}', 'hi'],
    ['empty', '{"data":""}', '{"data":""}', ''],
    ['with escaped characters', '{"data":"aG\\u006b\\u003d\\/\\r\\n\\u000a"}', '{"data":""}', 'hi'],
    ['with a quote that is escaped', '{"data":"aG\\"k="}', '{"data":""}', 'hi'],
    ['under a name that is escaped', '{"d\\u0061ta":"aGk="}', '{"d\\u0061ta":""}', 'hi'],
    [
      'behind deep values',
      '{"a":{"b":["}",{"data":1}]},"data":"aGk="}',
      '{"a":{"b":["}",{"data":1}]},"data":""}',
      'hi',
    ],
    ['twice', '{"data":"aGk=","data":"aGVsbG8="}', '{"data":"","data":""}', 'hello'],
    ['behind its name as a text', '{"a":"data","data":"aGk="}', '{"a":"data","data":""}', 'hi'],
  ])('%s is taken out, in one piece or byte by byte', (_, body, text, held) => {
    expect(divided(body)).toMatchObject({ isFed: true, text, held })
    expect(divided(body, 1)).toMatchObject({ isFed: true, text, held })
    expect(divided(body, 5)).toMatchObject({ isFed: true, text, held })
  })

  test.each([
    ['another member', '{"date":"aGk="}'],
    ['a member further down', '{"a":{"data":"aGk="}}'],
    ['one in a list', '{"a":["data","aGk="]}'],
    ['no text', '{"data":17}'],
    ['nothing', '{"data":null}'],
    ['a list', '{"data":["aGk="]}'],
    ['a text that looks like one', '{"a":"\\"data\\":\\"aGk=\\""}'],
    ['no object', '["data"]'],
    ['no JSON', '<data>"aGk="'],
    ['an empty body', ''],
    ['text that is not ASCII', '{"ä":"ö😀"}'],
    ['a backslash at the end of a text', '{"a":"\\\\","b":"data"}'],
  ])('is not %s', (_, body) => {
    expect(divided(body, 1)).toEqual({ isFed: true, text: body, size: undefined, held: undefined })
  })

  test('that never ends leaves text that is no JSON', () => {
    expect(() => JSON.parse(divided('{"data":"aGk=').text)).toThrow()
  })

  test('beyond its limit is counted and not kept', () => {
    const body = `{"data":"${'QUFB'.repeat(400)}","a":1}`
    expect(divided(body)).toMatchObject({
      isFed: true,
      size: 1200,
      held: '',
      text: '{"data":"","a":1}',
    })
  })
})

describe('a body is refused', () => {
  test('when the rest of it is too long', () => {
    const body = `{"a":"${'x'.repeat(20)}","data":"aGk="}`
    expect(divided(body, 4, { ...ROOM, mostText: body.length - 4 }).isFed).toBe(true)
    expect(divided(body, 4, { ...ROOM, mostText: body.length - 5 }).isFed).toBe(false)
  })

  test('when all of it is too long', () => {
    expect(divided('{"data":"aGk="}', 4, { ...ROOM, most: 15 }).isFed).toBe(true)
    expect(divided('{"data":"aGk="}', 4, { ...ROOM, most: 14 }).isFed).toBe(false)
  })
})
