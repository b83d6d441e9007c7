import { exports } from 'cloudflare:workers'
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import { type Answer, type Sender, send } from '../client.ts'

const ADDRESS = 'https://tracker.test/mcp'

/** How a client agrees with the server on a revision of the protocol. */
export const NEGOTIATIONS = ['legacy', 'auto', { pin: '2026-07-28' }] as const

/** A client of the official SDK, connected to the Worker with the key of the sender. */
export async function connectClient(
  { key }: Sender,
  mode: (typeof NEGOTIATIONS)[number] = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL(ADDRESS), {
    fetch: (input, init) => exports.default.fetch(new Request(input, init)),
    requestInit: { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}

/** Any result of a call; the client checks it against the schema of the tool. */
export async function callTool(
  sender: Sender,
  name: string,
  given: Record<string, unknown> = {},
): Promise<CallToolResult> {
  const key = sender.key ?? ''
  const client = clients.get(key) ?? connectKnowing(sender)
  clients.set(key, client)
  return (await client).callTool({ name, arguments: given })
}

/** Connected clients by key. */
const clients = new Map<string, Promise<Client>>()

/** A client that knows the tools, and so holds results against their schemas. */
async function connectKnowing(sender: Sender): Promise<Client> {
  const client = await connectClient(sender)
  await client.listTools()
  return client
}

/** The headers of every message. */
export const MESSAGE_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/** Sends a message of a revision with a handshake that is answered, though perhaps with an error of the protocol. */
export function sendMessage(
  sender: Sender,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(sender, 'POST', '/mcp', message, { ...MESSAGE_HEADERS, ...headers })
}

/** The status and the error of a message that is refused. */
export async function sendWrongMessage(
  text: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; code: number }> {
  const response = await exports.default.fetch(ADDRESS, {
    ...{ method: 'POST', body: text },
    headers: { ...MESSAGE_HEADERS, ...headers },
  })
  const { error } = await response.json<{ error: { code: number } }>()
  return { status: response.status, code: error.code }
}

/** A message that calls a tool. */
export function buildToolCall(name: string, given: Record<string, unknown> = {}) {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: given } }
}

/** The members of the result of a call that succeeds, which stand in its text as well. */
export async function readTool(
  sender: Sender,
  name: string,
  given?: Record<string, unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: a client reads results without their types
): Promise<any> {
  const { isError, content, structuredContent } = await callTool(sender, name, given)
  const [first] = content
  expect(isError ?? false, JSON.stringify(content)).toBe(false)
  expect(first).toEqual({ type: 'text', text: JSON.stringify(structuredContent) })
  return structuredContent
}

/** The sentence with which a call is refused. */
export async function readRefusal(
  sender: Sender,
  name: string,
  given?: Record<string, unknown>,
): Promise<string> {
  const { isError, content, structuredContent } = await callTool(sender, name, given)
  const [first] = content
  expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined })
  return first?.type === 'text' ? first.text : ''
}
