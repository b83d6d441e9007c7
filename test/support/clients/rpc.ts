import { expect } from 'vitest'
import { type Answer, type Sender, send } from '../client.ts'

/** Calls a method by JSON-RPC 2.0; the answer of HTTP. */
export function callJson(sender: Sender, method: string, params: object = {}): Promise<Answer> {
  return send(sender, 'POST', '/jsonrpc.cgi', { jsonrpc: '2.0', id: 7, method, params })
}

/** The result of a call that succeeds. */
// biome-ignore lint/suspicious/noExplicitAny: a client reads results without their types
export async function readResult(sender: Sender, method: string, params?: object): Promise<any> {
  const { body } = await callJson(sender, method, params)
  expect(body.error, method).toBeUndefined()
  return body.result
}

/** The number of the fault of a call that is refused. */
export async function readFaultCode(
  sender: Sender,
  method: string,
  params?: object,
): Promise<number> {
  return (await callJson(sender, method, params)).body.error?.code
}

/** The XML of a call; `params` is the XML of its struct, or of nothing. */
export function buildXmlCall(method: string, params = ''): string {
  const list = params === '' ? '' : `<param><value>${params}</value></param>`
  return `<?xml version="1.0"?>\n<methodCall><methodName>${method}</methodName><params>${list}</params></methodCall>`
}

/** The XML of a struct whose members are given as XML of their types, such as `<int>1</int>`. */
export function buildXmlStruct(members: Readonly<Record<string, string>>): string {
  const list = Object.entries(members).map(
    ([name, value]) => `<member><name>${name}</name><value>${value}</value></member>`,
  )
  return `<struct>${list.join('\n')}</struct>`
}

/** Calls a method by XML-RPC; the answer of HTTP. */
export function callXml(
  sender: Sender,
  method: string,
  members: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(sender, 'POST', '/xmlrpc.cgi', buildXmlCall(method, buildXmlStruct(members)))
}

/** The number in the XML of a fault. */
export function xmlFaultCode(text: string): number {
  return Number(/<name>faultCode<\/name><value><int>(-?\d+)<\/int>/.exec(text)?.[1])
}
