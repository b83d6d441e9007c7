import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from './running-server.ts'

/** The official client of the Model Context Protocol, as an agent uses it, over the network. */

const KEY = 'lwAdministratorKeyForThisTestRun00000000'

let server: RunningServer

beforeAll(async () => {
  server = await startServer({ ADMIN_LOGIN: 'root@tracker.example', ADMIN_API_KEY: KEY })
})
afterAll(() => server?.stop())

async function connect(mode: 'legacy' | 'auto', headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } })
  const address = new URL('/mcp', server.url)
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  await client.listTools()
  return client
}

/** What an agent reads of a result, which says by itself when it is a refusal. */
async function use(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, structuredContent } = await client.callTool({ name, arguments: given })
  const [first] = content
  return {
    text: first?.type === 'text' ? first.text : '',
    members: (structuredContent ?? {}) as Record<string, unknown>,
  }
}

describe.each(['legacy', 'auto'] as const)('an agent that negotiates by %s', (mode) => {
  test('files a bug, discusses it, attaches a file and closes it', async () => {
    const agent = await connect(mode, { authorization: `Bearer ${KEY}` })
    const { members: read } = await use(agent, 'get_product', { product: 'TestProduct' })
    expect(read.components).toMatchObject([{ name: 'TestComponent' }])
    const summary = `The ${mode} lamp is dark`
    const { members: filed } = await use(agent, 'file_bug', {
      ...{ product: 'TestProduct', component: 'TestComponent', version: 'unspecified', summary },
    })
    const bug = String(filed.id)
    await use(agent, 'add_comment', { bug, comment: 'It is.' })
    const file = { file_name: 'log', summary: 'A log', content_type: 'text/plain', text: 'dark\n' }
    const { members: attached } = await use(agent, 'attach_file', { bug, ...file })
    const { members: content } = await use(agent, 'get_attachment', { attachment_id: attached.id })
    expect(content.text).toBe('dark\n')
    await use(agent, 'update_bug', { bug, status: 'RESOLVED', resolution: 'FIXED' })
    const { members: found } = await use(agent, 'search_bugs', { summary, resolution: ['FIXED'] })
    expect(found.bugs).toMatchObject([{ id: filed.id, status: 'RESOLVED' }])
    const { members: history } = await use(agent, 'get_history', { bug })
    expect(JSON.stringify(history)).toContain('FIXED')
    await agent.close()
  })

  test('reads without a key, and is told that it may not write', async () => {
    const agent = await connect(mode, {})
    const bug = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    const { members } = await use(agent, 'list_products')
    expect(members.products).toMatchObject([{ name: 'TestProduct' }])
    expect((await use(agent, 'file_bug', { ...bug, summary: 'x' })).text).toContain('(error 410)')
    await agent.close()
  })
})
