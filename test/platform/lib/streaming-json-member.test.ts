import { describe, expect, test } from 'vitest'
import {
  type MemberLimits,
  StreamingJsonMember,
} from '../../../src/platform/lib/streaming-json-member.ts'

const LIMITS: MemberLimits = { maxMemberBytes: 1000, maxRestBytes: 10_000 }

/** Feeds a body in pieces of one length. */
function readBody(body: string, pieceLength = body.length, limits = LIMITS) {
  const all = new TextEncoder().encode(body)
  const reader = new StreamingJsonMember('data', limits)
  let isAccepted = true
  for (let at = 0; at < all.length; at += pieceLength) {
    isAccepted = isAccepted && reader.feed(all.subarray(at, at + pieceLength))
  }
  const { text, upload } = reader.finish()
  const decoder = new TextDecoder()
  const decoded = upload?.blocks.map((block) => decoder.decode(block, { stream: true })).join('')
  return { isAccepted, text, size: upload?.size, decoded }
}

describe('StreamingJsonMember', () => {
  test.each([
    ['that is alone', '{"data":"aGVsbG8="}', '{"data":""}', 'hello'],
    ['that is first', '{ "data" : "aGk=", "a": 1}', '{ "data" : "", "a": 1}', 'hi'],
    ['that is last', '{"a":"b","data":"aGk="}', '{"a":"b","data":""}', 'hi'],
    ['that is empty', '{"data":""}', '{"data":""}', ''],
    ['with escaped characters', '{"data":"aG\\u006b\\u003d\\/\\r\\n\\u000a"}', '{"data":""}', 'hi'],
    ['with an escaped quote', '{"data":"aG\\"k="}', '{"data":""}', 'hi'],
    ['with an escaped name', '{"d\\u0061ta":"aGk="}', '{"d\\u0061ta":""}', 'hi'],
    [
      'behind deep values',
      '{"a":{"b":["}",{"data":1}]},"data":"aGk="}',
      '{"a":{"b":["}",{"data":1}]},"data":""}',
      'hi',
    ],
    ['that occurs twice', '{"data":"aGk=","data":"aGVsbG8="}', '{"data":"","data":""}', 'hello'],
    ['behind its name as a value', '{"a":"data","data":"aGk="}', '{"a":"data","data":""}', 'hi'],
  ])('decodes a member %s from pieces of any length', (_, body, text, decoded) => {
    expect(readBody(body)).toMatchObject({ isAccepted: true, text, decoded })
    expect(readBody(body, 1)).toMatchObject({ isAccepted: true, text, decoded })
    expect(readBody(body, 5)).toMatchObject({ isAccepted: true, text, decoded })
  })

  test.each([
    ['another member', '{"date":"aGk="}'],
    ['a nested member', '{"a":{"data":"aGk="}}'],
    ['the name in a list', '{"a":["data","aGk="]}'],
    ['a number', '{"data":17}'],
    ['null', '{"data":null}'],
    ['a list', '{"data":["aGk="]}'],
    ['a string that looks like the member', '{"a":"\\"data\\":\\"aGk=\\""}'],
    ['a list at the top', '["data"]'],
    ['malformed JSON', '<data>"aGk="'],
    ['an empty body', ''],
    ['names and values beyond ASCII', '{"ä":"ö😀"}'],
    ['a backslash at the end of a string', '{"a":"\\\\","b":"data"}'],
  ])('leaves %s as it is', (_, body) => {
    expect(readBody(body, 1)).toEqual({
      isAccepted: true,
      text: body,
      size: undefined,
      decoded: undefined,
    })
  })

  test('leaves malformed JSON of a member without an end', () => {
    expect(() => JSON.parse(readBody('{"data":"aGk=').text)).toThrow()
  })

  test('counts the bytes of a member over its limit and keeps none', () => {
    const body = `{"data":"${'QUFB'.repeat(400)}","a":1}`
    expect(readBody(body)).toMatchObject({
      isAccepted: true,
      size: 1200,
      decoded: '',
      text: '{"data":"","a":1}',
    })
  })

  test('decodes the member at other levels of nesting where the limits say so, and at no others', () => {
    const limits = { ...LIMITS, levels: [2, 3] }
    for (const [body, text, decoded] of [
      ['{"p":{"data":"aGk="}}', '{"p":{"data":""}}', 'hi'],
      ['{"p":[{"x":1,"data":"aGk="}],"id":"data"}', '{"p":[{"x":1,"data":""}],"id":"data"}', 'hi'],
      [
        '{"data":"aGk=","p":[[{"data":"aGk="}]]}',
        '{"data":"aGk=","p":[[{"data":"aGk="}]]}',
        undefined,
      ],
    ] as const) {
      expect(readBody(body, 3, limits)).toMatchObject({ text })
      expect(readBody(body, 3, limits).decoded).toBe(decoded)
    }
  })

  test('rejects a body whose rest is over its limit', () => {
    const body = `{"a":"${'x'.repeat(20)}","data":"aGk="}`
    expect(readBody(body, 4, { ...LIMITS, maxRestBytes: body.length - 4 }).isAccepted).toBe(true)
    expect(readBody(body, 4, { ...LIMITS, maxRestBytes: body.length - 5 }).isAccepted).toBe(false)
  })
})
