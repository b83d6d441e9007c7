import type { Fault } from '../../../platform/faults/fault.ts'
import { escapeXml } from '../../../platform/lib/escape-xml.ts'
import { PackedText } from '../../../platform/lib/packed-text.ts'
import { PIECE_LENGTH, streamText, translateBody } from '../../../platform/lib/stream.ts'
import { Turns } from '../../../platform/load/turns.ts'
import { XmlWriter } from './xml-writer.ts'

const TYPE = 'text/xml; charset=utf-8'
const HEAD = '<?xml version="1.0" encoding="UTF-8"?><methodResponse>'
const BEGIN = `${HEAD}<params><param>`
const END = '</param></params></methodResponse>'

/** Pieces of long answers that are written. */
const turns = new Turns<string | null>(1, 2)

/** The result of a call as XML; that of a long or streamed one is written while it is sent, in turns of its readers. */
export function answerXml(result: unknown, reader: string | null = null): Response {
  const writer = new XmlWriter()
  const headers = { 'content-type': TYPE }
  const end = () => writer.finish() + END
  if (result instanceof Response) {
    const write = (text: string) => writer.write(text)
    return new Response(result.body && translateBody(result.body, { begin: BEGIN, write, end }), {
      headers,
    })
  }
  const json = JSON.stringify(result)
  if (json.length <= PIECE_LENGTH) {
    return new Response(BEGIN + writer.write(json) + end(), { headers })
  }
  return new Response(streamText(writeLong(new PackedText(json), writer, reader), 'XML'), {
    headers,
  })
}

/** XML is several times as long as the JSON that it is made of. */
async function* writeLong(
  json: PackedText,
  writer: XmlWriter,
  reader: string | null,
): AsyncGenerator<string> {
  yield BEGIN
  for (const piece of json.take()) {
    yield await turns.run(reader, async () => writer.write(piece))
  }
  yield writer.finish() + END
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
