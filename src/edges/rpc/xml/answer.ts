import type { Fault } from '../../../platform/faults/fault.ts'
import { escapeXml } from '../../../platform/lib/escape-xml.ts'
import { cutText, PIECE_LENGTH, streamText, translateBody } from '../../../platform/lib/stream.ts'
import { XmlWriter } from './xml-writer.ts'

const TYPE = 'text/xml; charset=utf-8'
const HEAD = '<?xml version="1.0" encoding="UTF-8"?><methodResponse>'
const BEGIN = `${HEAD}<params><param>`
const END = '</param></params></methodResponse>'

/** The result of a call as XML; that of a streamed response is written while it is sent. */
export function answerXml(result: unknown): Response {
  const writer = new XmlWriter()
  const headers = { 'content-type': TYPE }
  // its XML is several times as long, and is written while it is sent
  const json = result instanceof Response ? '' : JSON.stringify(result)
  if (!(result instanceof Response) && json.length <= PIECE_LENGTH) {
    return new Response(BEGIN + writer.write(json) + writer.finish() + END, { headers })
  }
  const read = result instanceof Response ? result.body : streamText(cutText(json), 'XML')
  const body =
    read &&
    translateBody(read, {
      begin: BEGIN,
      write: (text) => writer.write(text),
      end: () => writer.finish() + END,
    })
  return new Response(body, { headers })
}

/** A fault as XML. Clients read faults only from answers that are no errors of HTTP. */
export function answerXmlFault({ code, message }: Fault): Response {
  const members = [
    ['faultCode', `<int>${code}</int>`],
    ['faultString', `<string>${escapeXml(message)}</string>`],
  ].map(([name, value]) => `<member><name>${name}</name><value>${value}</value></member>`)
  const xml = `${HEAD}<fault><value><struct>${members.join('')}</struct></value></fault></methodResponse>`
  return new Response(xml, { headers: { 'content-type': TYPE } })
}
