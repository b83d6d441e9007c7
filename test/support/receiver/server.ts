import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'

/** A request that the receiver got. */
export type ReceivedRequest = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a real HTTP server, with a port of this computer. */
    receiverUrl: string
  }
}

let server: Server | undefined

const TEN_MEGABYTES = 10 * 1024 * 1024

/** What the receiver does with a message, by the first part of the path; the second keeps tests apart. */
const BEHAVIOURS: Readonly<Record<string, (response: ServerResponse, box: string) => void>> = {
  ok: (response) => response.end('{"ok":true}'),
  fails: (response) => response.writeHead(500).end('out of order'),
  'fails-late': (response) => setTimeout(() => response.writeHead(500).end(), 1100),
  gone: (response) => response.writeHead(410).end(),
  hangs: () => {},
  'hangs-in-answer': (response) => response.writeHead(200).write('it begins'),
  closes: (response) => response.destroy(),
  'closes-in-answer': (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('it begins')
    setTimeout(() => response.destroy(), 50)
  },
  large: (response) => response.end('x'.repeat(TEN_MEGABYTES)),
  redirects: (response, box) => response.writeHead(302, { location: `/ok/${box}` }).end(),
}

/**
 * Starts a real HTTP server for tests inside the runtime. `POST /<behaviour>/<box>` is received, `GET /<box>`
 * lists what a box has received, and `PUT /<box>` says how it behaves from then on.
 */
export async function setup(project: TestProject): Promise<void> {
  const boxes = new Map<string, ReceivedRequest[]>()
  const overrides = new Map<string, string>()
  server = createServer(async (request, response) => {
    const body = await readBody(request)
    const [, first = '', second = ''] = (request.url ?? '').split('/')
    if (request.method === 'GET') {
      response.end(JSON.stringify(boxes.get(first) ?? []))
    } else if (request.method === 'PUT') {
      overrides.set(first, body)
      response.end()
    } else {
      const headers = request.headers as Record<string, string>
      boxes.set(second, [...(boxes.get(second) ?? []), { headers, body }])
      BEHAVIOURS[overrides.get(second) ?? first]?.(response, second)
    }
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  project.provide('receiverUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

export async function teardown(): Promise<void> {
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined))
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) {
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString('utf8')
}
