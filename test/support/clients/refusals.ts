import { beforeAll, expect, test } from 'vitest'
import { type Answer, expectFault, type Sender, send } from '../client.ts'
import { loadFootprint } from '../database/footprint.ts'
import type { Refusal } from '../tables/refusals/refusal.ts'
import { fetchWith } from './service.ts'

/** Who sends the refused requests, and what the requests name in braces. */
export type RefusalWorld<By extends string> = {
  readonly senders: Readonly<Record<By, Sender>>
  readonly names: Readonly<Record<string, string>>
}

/** The statuses of the fault numbers that are not answered with 400. */
const STATUS: readonly { status: number; codes: readonly number[] }[] = [
  { status: 401, codes: [102, 106, 109, 110, 113, 115, 120, 300, 301, 304, 410, 504, 505] },
  { status: 404, codes: [51, 101, 32614] },
  { status: 413, codes: [58] },
]

function statusOf(code: number): number {
  return STATUS.find(({ codes }) => codes.includes(code))?.status ?? 400
}

const INTERNALS = /SQL|D1_|\$\{|undefined|object Object/

/** Asserts that a request is refused and that it writes nothing. */
export async function expectRefusal(
  request: () => Promise<Answer>,
  code: number,
  naming?: string,
): Promise<void> {
  const before = await loadFootprint()
  expectFault(await request(), statusOf(code), code, naming)
  expect(await loadFootprint(), 'nothing is written').toEqual(before)
}

/** A test for each refusal: its status and number, a message without internals, and nothing written. */
export function testRefusals<By extends string>(
  refusals: readonly Refusal<By>[],
  world: () => RefusalWorld<By>,
): void {
  // every test leaves the footprint that the next one begins with
  let footprint: unknown

  beforeAll(async () => {
    footprint = await loadFootprint()
  })

  test.each(refusals.map((refusal) => [describeRefusal(refusal), refusal] as const))(
    '%s',
    async (_, refusal) => {
      const { code, naming } = refusal
      const answer = await sendRefusal(refusal, world())
      expectFault(answer, statusOf(code), code, naming)
      expect(answer.body.message).not.toMatch(INTERNALS)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      const before = footprint
      footprint = await loadFootprint()
      expect(footprint, 'nothing is written').toEqual(before)
    },
  )
}

function describeRefusal({ code, by, request, body, settings }: Refusal): string {
  const parts = [
    `answers ${code} to ${by}: ${request}`,
    body === undefined ? '' : ` ${JSON.stringify(body).slice(0, 200)}`,
    settings === undefined ? '' : `, with the settings ${JSON.stringify(settings)}`,
  ]
  return parts.join('')
}

async function sendRefusal<By extends string>(
  { by, request, body, settings }: Refusal<By>,
  { senders, names }: RefusalWorld<By>,
): Promise<Answer> {
  const [method = '', path = ''] = fillNames(request, names, encodeURIComponent).split(' ')
  const text = typeof body === 'string' ? body : fillNames(JSON.stringify(body ?? {}), names)
  const sent = method === 'GET' ? undefined : text
  return settings === undefined
    ? send(senders[by], method, `/rest${path}`, sent)
    : sendWith(settings, { method, path, body: sent, sender: senders[by] })
}

async function sendWith(
  settings: object,
  { method, path, body, sender }: { method: string; path: string; body?: string; sender: Sender },
): Promise<Answer> {
  const response = await fetchWith(settings, `/rest${path}`, {
    method,
    headers: sender.key === undefined ? {} : { 'x-tracker-api-key': sender.key },
    body,
  })
  const text = await response.text()
  const cost = { trips: 0, statements: 0, read: 0, written: 0 }
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers, cost }
}

/** A text with the names of the world in place of those in braces. */
function fillNames(
  text: string,
  names: Readonly<Record<string, string>>,
  write = (name: string) => name,
): string {
  return text
    .replace(/"\{#(\w+)\}"/g, (braces, name: string) => names[name] ?? braces)
    .replace(/\{(\w+)\}/g, (braces, name: string) => {
      const found = names[name]
      return found === undefined ? braces : write(found)
    })
}
