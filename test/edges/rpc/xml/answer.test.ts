import { describe, expect, test } from 'vitest'
import { answerXml, answerXmlFault } from '../../../../src/edges/rpc/xml/answer.ts'
import { fault } from '../../../../src/platform/faults/fault.ts'
import { userUnknown } from '../../../../src/tracker/users/faults.ts'
import { streamPieces } from '../../../support/clients/service.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8"?><methodResponse>'
const RESULT = `${HEAD}<params><param><value><struct><member><name>a</name><value><string>é</string></value></member></struct></value></param></params></methodResponse>`

describe('an answer in XML', () => {
  test('holds the result', async () => {
    const answer = answerXml({ a: 'é' })
    expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8')
    expect(await answer.text()).toBe(RESULT)
  })

  test('is written while the result arrives, even in the middle of a character', async () => {
    const bytes = new TextEncoder().encode('{"a":"é"}')
    const pieces = [bytes.slice(0, 7), bytes.slice(7)]
    expect(await answerXml(new Response(streamPieces(pieces))).text()).toBe(RESULT)
  })

  test('of a long result is the same as of a short one, even where a piece would end within a character', async () => {
    const text = '😀'.repeat(100_000)
    for (const start of ['', 'a']) {
      const xml = await answerXml({ a: start + text }).text()
      expect(xml).toBe(RESULT.replace('é', start + text))
    }
  })

  test('of many long results at once comes whole to who reads, however many others read nothing', async () => {
    const result = { a: 'é'.repeat(300_000) }
    const unread = Array.from({ length: 40 }, (_, n) => answerXml(result, `network ${n}`))
    expect(await answerXml(result, 'reader').text()).toBe(RESULT.replace('é', result.a))
    await Promise.all(unread.map(({ body }) => body?.cancel()))
  })

  test('holds the number and the message of a fault', async () => {
    const answer = answerXmlFault(fault(userUnknown, { login: '<x>' }))
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).toContain('<name>faultCode</name><value><int>51</int>')
    expect(text).toContain("There is no user named '&lt;x&gt;'.")
  })
})
