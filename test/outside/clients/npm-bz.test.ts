import { createRequire } from 'node:module'
import { expect } from 'vitest'
import { describeClient } from './outcomes.ts'
import { KEY, LOGIN, PASSWORD, PLACE, requestAs, trackerUrl } from './tracker.ts'

type Client = {
  readonly [name: string]: (...args: unknown[]) => void
}

/** The npm package `bz` brings no types; its calls take a callback, but for those about products. */
const { createClient } = createRequire(import.meta.url)('bz') as {
  createClient(options: object): Client
}

/** How the client presents who it is. */
const CREDENTIALS = {
  'an API key': { api_key: KEY },
  'a password': { username: LOGIN, password: PASSWORD },
} as const

const BUG = {
  ...PLACE,
  ...{ summary: 'The lamp is dark', description: 'At night.' },
  ...{ op_sys: 'Linux', platform: 'All', priority: '--', severity: '--' },
}

describeClient('npm bz 0.4.5', true, (testCommand) => {
  for (const [how, credentials] of Object.entries(CREDENTIALS)) {
    const client = createClient({ url: `${trackerUrl()}/rest/`, ...credentials })
    const call = (name: string, ...args: unknown[]) => callClient(client, name, ...args)

    testCommand(`createBug, getBug, searchBugs, updateBug with ${how}`, async () => {
      const whiteboard = `w${crypto.randomUUID().slice(0, 8)}`
      const id = await call('createBug', BUG)
      await call('updateBug', id, { whiteboard, status: 'RESOLVED', resolution: 'FIXED' })
      expect(await call('getBug', id, {})).toMatchObject({ id, whiteboard, status: 'RESOLVED' })
      expect(await call('searchBugs', { whiteboard })).toMatchObject([{ id }])
    })

    testCommand(`addComment, bugComments, bugHistory with ${how}`, async () => {
      const id = await call('createBug', BUG)
      expect(await call('addComment', id, { comment: 'I see it too.' })).toMatchObject({
        id: expect.any(Number),
      })
      await call('updateBug', id, { priority: 'P1' })
      const comments = await call('bugComments', id)
      expect(comments.map(({ text }: { text: string }) => text)).toEqual([
        ...['At night.', 'I see it too.'],
      ])
      const [{ history }] = await call('bugHistory', id)
      expect(history).toMatchObject([{ who: LOGIN, changes: [{ field_name: 'priority' }] }])
    })

    testCommand(`createAttachment, bugAttachments, getAttachment with ${how}`, async () => {
      const id = await call('createBug', BUG)
      const attachment = await call('createAttachment', id, {
        ...{ ids: [id], data: btoa('some bytes'), file_name: 'a.txt', summary: 'A file' },
        content_type: 'text/plain',
      })
      expect(await call('bugAttachments', id)).toMatchObject([{ id: attachment, bug_id: id }])
      const read = { data: btoa('some bytes'), summary: 'A file', is_obsolete: false }
      expect(await call('getAttachment', attachment)).toMatchObject(read)
    })

    testCommand(
      `updateAttachment with ${how}`,
      async () => {
        const id = await call('createBug', BUG)
        const file = { data: btoa('x'), file_name: 'a', summary: 'b', content_type: 'text/plain' }
        const attachment = await call('createAttachment', id, { ids: [id], ...file })
        await call('updateAttachment', attachment, { is_obsolete: 1 })
        expect(await call('getAttachment', attachment)).toMatchObject({ is_obsolete: true })
      },
      {
        limit:
          'works; its callback gets nothing, because it asks for a member that no tracker answers',
      },
    )

    testCommand(`searchUsers, getUser, getProduct with ${how}`, async () => {
      expect(await call('searchUsers', 'root')).toMatchObject([{ name: LOGIN }])
      expect(await call('getUser', LOGIN)).toMatchObject({ id: 1 })
      expect(await client.getProduct?.(PLACE.product)).toMatchObject({
        products: [{ name: PLACE.product }],
      })
    })
  }

  for (const [how, credentials] of [
    ['no account', {}],
    ['an API key', { api_key: KEY }],
  ] as const) {
    const run = async () => {
      const client = createClient({ url: `${trackerUrl()}/rest/`, ...credentials })
      const found = client.getProducts?.('enterable') as unknown
      await (how === 'no account'
        ? expect(found).resolves.toHaveProperty('products')
        : expect(found).rejects.toThrow("'type'"))
    }
    const limit = 'refused: it puts the key behind a second `?`, into the value of `type`'
    testCommand(`getProducts with ${how}`, run, how === 'no account' ? {} : { limit })
  }

  testCommand('getBug without an account, and of a bug that does not exist', async () => {
    const client = createClient({ url: `${trackerUrl()}/rest/` })
    const { id } = await requestAs(trackerUrl(), 'POST', '/rest/bug', BUG)
    expect(await callClient(client, 'getBug', id, {})).toMatchObject({ id })
    await expect(callClient(client, 'getBug', 99_999, {})).rejects.toThrow('99999')
  })
})

/** The result of a call, which the client hands to a callback. */
// biome-ignore lint/suspicious/noExplicitAny: a client reads results without their types
function callClient(client: Client, name: string, ...args: unknown[]): Promise<any> {
  return new Promise((done, failed) => {
    client[name]?.(...args, (error: Error | null, result: unknown) =>
      error ? failed(error) : done(result),
    )
  })
}
