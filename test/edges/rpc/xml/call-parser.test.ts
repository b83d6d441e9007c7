import sax from 'sax'
import { describe, expect, test } from 'vitest'
import type { RpcCall } from '../../../../src/edges/rpc/call.ts'
import { CallParser } from '../../../../src/edges/rpc/xml/call-parser.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'
import { buildXmlCall, buildXmlStruct } from '../../../support/clients/rpc.ts'

function parse(xml: string, pieceLength = xml.length): RpcCall {
  const parser = new CallParser(sax.parser(true), 1000)
  for (let at = 0; at < xml.length; at += pieceLength) {
    parser.write(xml.slice(at, at + pieceLength))
  }
  return parser.finish()
}

const parseStruct = (members: Record<string, string>) =>
  parse(buildXmlCall('Bug.get', buildXmlStruct(members))).parameters

describe('a call in XML', () => {
  test('has a method and named parameters of every type', () => {
    const xml = buildXmlCall(
      ' Bug.get ',
      buildXmlStruct({
        a: '<int>1</int>',
        b: '<string> &lt;b&gt; &amp; &#9731; </string>',
        c: ' no type ',
        d: '<array> <data>\n <value><i4>2</i4></value> <value>x</value></data></array>',
        e: '<struct></struct>',
        f: '<nil/>',
        g: '<base64>w6k=\n</base64>',
        h: '<string><![CDATA[<&>]]></string>',
        i: '<string></string>',
      }),
    )
    const call = {
      method: 'Bug.get',
      parameters: {
        ...{ a: 1, b: ' <b> & ☃ ', c: ' no type ', d: [2, 'x'], e: {}, f: null },
        ...{ g: 'é', h: '<&>', i: '' },
      },
      upload: null,
    }
    expect(parse(xml)).toEqual(call)
    for (const length of [1, 2, 5, 40]) {
      expect(parse(xml, length)).toEqual(call)
    }
  })

  test('may have no parameters, or nil in their place', () => {
    expect(parse('<methodCall><methodName>x</methodName></methodCall>').parameters).toEqual({})
    expect(parse(buildXmlCall('x')).parameters).toEqual({})
    expect(parse(buildXmlCall('x', '<nil/>')).parameters).toEqual({})
  })

  test('keeps the base64 of its member data as bytes', () => {
    const { parameters, upload } = parse(
      buildXmlCall('x', buildXmlStruct({ data: '<base64>AP8A\n/wA=</base64>', a: '<int>1</int>' })),
    )
    expect(parameters).toEqual({ data: '', a: 1 })
    expect(upload?.size).toBe(5)
    expect([...(upload?.blocks[0] ?? [])]).toEqual([0, 255, 0, 255, 0])
  })

  test('may name a member like something that every object has', () => {
    const parameters = parseStruct({ __proto__x: '<int>1</int>', ['__proto__']: '<int>2</int>' })
    expect(Object.keys(parameters)).toContain('__proto__x')
    expect(Object.getPrototypeOf(parameters)).toBe(Object.prototype)
  })

  test.each([
    [
      'an entity bomb',
      '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><methodCall>&c;</methodCall>',
    ],
    ['an external entity', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><methodCall/>'],
    ['a document type alone', '<!DOCTYPE a><methodCall><methodName>x</methodName></methodCall>'],
    ['an entity without definition', buildXmlCall('x', buildXmlStruct({ a: '&b;' }))],
    ['nothing', ''],
    ['text', 'Bug.get'],
    ['an element that does not end', '<methodCall><methodName>x</methodName>'],
    ['elements that overlap', '<methodCall><methodName>x</methodCall></methodName>'],
    ['a second document', `${buildXmlCall('x')}<methodCall/>`],
    ['an element with a name without end', `<methodCall><${'a'.repeat(200_000)}`],
  ])('is refused with -32700 when it is %s', (_, xml) => {
    expect([-32700, -32600]).toContain(catchFaultCode(() => parse(xml, 70_000)))
  })

  test.each([
    ['without a method', '<methodCall><params/></methodCall>'],
    ['as an answer', '<methodResponse><params/></methodResponse>'],
    ['with a list of parameters', buildXmlCall('x', '<array><data/></array>')],
    ['with a text as parameter', buildXmlCall('x', '<string>y</string>')],
    ['with an unknown type', buildXmlCall('x', buildXmlStruct({ a: '<blob>1</blob>' }))],
    [
      'with two types in a value',
      buildXmlCall('x', buildXmlStruct({ a: '<int>1</int><int>2</int>' })),
    ],
    ['with a number that is none', buildXmlCall('x', buildXmlStruct({ a: '<int>x</int>' }))],
    ['with an unknown element', '<methodCall><html/></methodCall>'],
    [
      'with two parameters',
      '<methodCall><methodName>x</methodName><params><param><value><struct/></value></param><param><value><struct/></value></param></params></methodCall>',
    ],
  ])('is refused with -32600 %s', (_, xml) => {
    expect(catchFaultCode(() => parse(xml))).toBe(-32600)
  })

  test('is refused with -32600 when it is nested too deeply', () => {
    const nest = (levels: number) =>
      '<array><data><value>'.repeat(levels) + '</value></data></array>'.repeat(levels)
    expect(parseStruct({ a: nest(90) })).toHaveProperty('a')
    for (const levels of [100, 20_000]) {
      expect(catchFaultCode(() => parseStruct({ a: nest(levels) }))).toBe(-32600)
    }
  })
})
