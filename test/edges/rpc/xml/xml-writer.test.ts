import { describe, expect, test } from 'vitest'
import { XmlWriter } from '../../../../src/edges/rpc/xml/xml-writer.ts'

function writeAtOnce(value: unknown): string {
  const writer = new XmlWriter()
  return writer.write(JSON.stringify(value)) + writer.finish()
}

function writeInPieces(value: unknown, size: number): string {
  const writer = new XmlWriter()
  const json = JSON.stringify(value)
  let xml = ''
  for (let at = 0; at < json.length; at += size) {
    xml += writer.write(json.slice(at, at + size))
  }
  return xml + writer.finish()
}

const member = (name: string, xml: string) =>
  `<value><struct><member><name>${name}</name><value>${xml}</value></member></struct></value>`

describe('a result as XML-RPC', () => {
  test.each([
    [1, '<value><int>1</int></value>'],
    [-2147483647, '<value><int>-2147483647</int></value>'],
    [2147483648, '<value><double>2147483648</double></value>'],
    [1.5, '<value><double>1.5</double></value>'],
    [true, '<value><boolean>1</boolean></value>'],
    [false, '<value><boolean>0</boolean></value>'],
    ['a "b" \\ <c>\n', '<value><string>a "b" \\ &lt;c&gt;\n</string></value>'],
    [[], '<value><array><data></data></array></value>'],
    [{}, '<value><struct></struct></value>'],
    [
      [1, null, 'x'],
      '<value><array><data><value><int>1</int></value><value><nil/></value><value><string>x</string></value></data></array></value>',
    ],
    [
      { 'a&b': [{ c: 1 }] },
      member('a&amp;b', `<array><data>${member('c', '<int>1</int>')}</data></array>`),
    ],
    [
      { when: '2026-01-31T12:30:59Z' },
      member('when', '<dateTime.iso8601>20260131T12:30:59</dateTime.iso8601>'),
    ],
    [
      { cf_due: '2026-01-31T12:30:59Z' },
      member('cf_due', '<dateTime.iso8601>20260131T12:30:59</dateTime.iso8601>'),
    ],
    [
      { summary: '2026-01-31T12:30:59Z' },
      member('summary', '<string>2026-01-31T12:30:59Z</string>'),
    ],
    [{ deadline: '2026-01-31' }, member('deadline', '<string>2026-01-31</string>')],
    [{ estimated_time: 2 }, member('estimated_time', '<double>2</double>')],
    [{ data: 'AAEC/+==' }, member('data', '<base64>AAEC/+==</base64>')],
  ])('is %j as %s', (value, xml) => {
    expect(writeAtOnce(value)).toBe(xml)
  })

  test('leaves members out that are null, because the protocol has no null', () => {
    expect(writeAtOnce({ a: null, b: 1, c: null })).toBe(member('b', '<int>1</int>'))
    expect(writeAtOnce({ data: null })).toBe('<value><struct></struct></value>')
  })

  test('is the same however its JSON is cut into pieces', () => {
    const value = {
      bugs: [
        { id: 12, summary: 'é "quoted" \\u0041 ☃ \u0001 \u2028', dupe_of: null, is_open: true },
        { data: 'QUJD', time: '2026-01-31T12:30:59Z', list: [[], [null, -1.25e-7]], '"': {} },
      ],
      faults: [],
    }
    for (const size of [1, 2, 3, 7, 50]) {
      expect(writeInPieces(value, size)).toBe(writeAtOnce(value))
    }
    expect(writeInPieces(123456, 4)).toBe('<value><int>123456</int></value>')
  })
})
