import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createService, operations } from '../../../../src/app.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, type Answer, expectFault, get, send } from '../../../support/client.ts'
import { buildEchoService, buildProbe, fetchFrom } from '../../../support/clients/service.ts'

const service = buildEchoService(
  ['POST', '/thing'],
  ['GET', '/thing'],
  ['PUT', '/thing/:id', z.object({ id: z.string() })],
  ['GET', '/thing/:id_or_name', z.object({ id_or_name: z.string() })],
  ['DELETE', '/file/:path{.+}', z.object({ path: z.string() })],
)

describe('OPTIONS', () => {
  test.each([
    ['/rest/thing', 'GET, HEAD, POST'],
    ['/rest/thing/', 'GET, HEAD, POST'],
    ['/rest.cgi/thing', 'GET, HEAD, POST'],
    ['/rest/thing/7', 'GET, HEAD, PUT'],
    ['/rest/file/a/b', 'DELETE'],
  ])('on %s tells its methods, sorted, and nothing more', async (path, methods) => {
    const answer = await fetchFrom(service, path, { method: 'OPTIONS' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({})
    expect(answer.headers.get('allow')).toBe(methods)
    expect(answer.headers.get('access-control-allow-methods')).toBe(methods)
  })

  test('needs neither credentials nor a valid body', async () => {
    const answer = await send({ key: 'no such key' }, 'OPTIONS', '/rest/api_key', '{')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  })

  test('answers 404 on an unknown path', async () => {
    const answer = await send(ANYONE, 'OPTIONS', '/rest/nowhere')
    expectFault(answer, 404, 32614)
    expect(answer.headers.get('access-control-allow-methods')).toBeNull()
  })
})

describe('HEAD', () => {
  test('answers the status and the headers of GET without a body', async () => {
    const got = await get(ANYONE, '/rest/version')
    const head = await send(ANYONE, 'HEAD', '/rest/version')
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    for (const name of ['content-type', 'etag', 'vary', 'cache-control']) {
      expect(head.headers.get(name), name).toBe(got.headers.get(name))
    }
  })

  test('answers the faults of GET unchanged', async () => {
    expect((await send(ANYONE, 'HEAD', '/rest/whoami')).status).toBe(401)
  })

  test('answers 405 where GET does', async () => {
    expect((await fetchFrom(service, '/rest/file/a', { method: 'HEAD' })).status).toBe(405)
  })
})

describe('a method that a path does not take', () => {
  test.each([
    ['POST', '/rest/version', 'GET, HEAD'],
    ['PATCH', '/rest/version', 'GET, HEAD'],
    ['DELETE', '/rest.cgi/api_key/', 'GET, HEAD, POST'],
    ['DELETE', '/rest/bug/7', 'GET, HEAD, PUT'],
    ['DELETE', '/rest/product/a%2Fb', 'GET, HEAD, PUT'],
  ])('at %s %s: 405 and 32614, with those that it takes', async (method, path, allow) => {
    const answer = await send({ key: 'no such key' }, method, path, '{')
    expectFault(answer, 405, 32614, method)
    expect(answer.headers.get('allow')).toBe(allow)
  })
})

describe('the address of what was made', () => {
  let admin: TestPerson
  let place: TestProduct
  let bug: number

  beforeAll(async () => {
    admin = await insertPerson({ roles: ['admin', 'editbugs'] })
    const { name: first, ...product } = await insertProduct()
    place = { ...product, name: uniqueName('Ropes/knots & 100%') }
    await send(admin, 'PUT', `/rest/product/${first}`, { name: place.name })
    bug = await postBug(admin, place)
  })

  const readAt = (answer: Answer) => {
    const location = answer.headers.get('location') ?? ''
    expect(location, answer.text).toMatch(/^https:\/\/tracker\.test\/rest\//)
    return get(admin, location.replace('https://tracker.test', ''))
  }

  /** What makes each thing, with a text of it that reading shows. */
  const named = (more: object = {}) => {
    const name = uniqueName('made')
    return [{ name, description: 'x', ...more }, name] as const
  }
  const MAKES: Readonly<Record<string, () => readonly [path: string, body: object, text: string]>> =
    {
      'POST /bug': () => {
        const summary = uniqueName('made')
        return ['/bug', buildBugBody(place, { summary }), summary]
      },
      'POST /bug/:id_or_alias/comment': () => {
        const comment = uniqueName('made')
        return [`/bug/${bug}/comment`, { comment }, comment]
      },
      'POST /bug/:id_or_alias/attachment': () => {
        const summary = uniqueName('made')
        const file = { data: btoa('x'), file_name: 'x', content_type: 'text/plain' }
        return [`/bug/${bug}/attachment`, { ...file, summary }, summary]
      },
      'POST /component': () => [
        '/component',
        ...named({ product: place.name, default_assignee: admin.login, team_name: 'x' }),
      ],
      'POST /component/:product{.+}': () => [
        `/component/${encodeURIComponent(place.name)}`,
        ...named({ default_assignee: admin.login, team_name: 'x' }),
      ],
      'POST /product': () => [
        '/product',
        ...named({ version: '1.0', classification: 'Unclassified' }),
      ],
      'POST /classification': () => ['/classification', ...named()],
      'POST /group': () => ['/group', ...named()],
      'POST /field/bug': () => {
        const name = `cf_made_${bug}`
        return ['/field/bug', { name, description: 'x', type: 1 }, name]
      },
      'POST /user': () => {
        const email = `made-${bug}@example.com`
        return ['/user', { email, full_name: 'x' }, email]
      },
      'POST /reminder': () => {
        const note = uniqueName('made')
        return ['/reminder', { bug_id: bug, note, reminder_ts: '2099-01-01' }, note]
      },
      'POST /webhooks': () => {
        const name = uniqueName('made')
        return ['/webhooks', { name, url: 'https://hooks.example/x', event: 'create' }, name]
      },
    }

  test('stands in the answer of every operation that says so, and GET reads it there', async () => {
    const makers = operations.filter(({ makes }) => makes !== undefined)
    expect(makers.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      Object.keys(MAKES).sort(),
    )
    for (const build of Object.values(MAKES)) {
      const [path, body, text] = build()
      const read = await readAt(await send(admin, 'POST', `/rest${path}`, body))
      expect([read.status, read.text], path).toEqual([200, expect.stringContaining(text)])
    }
  })

  test('stands in an answer that is repeated', async () => {
    const headers = { 'idempotency-key': 'location' }
    const body = buildBugBody(place)
    for (const isRepeated of [null, 'true']) {
      const answer = await send(admin, 'POST', '/rest/bug', body, headers)
      expect(answer.headers.get('idempotent-replayed')).toBe(isRepeated)
      expect((await readAt(answer)).body.bugs[0].id).toBe(answer.body.id)
    }
  })

  test('is known where the answer leaves out the name of what was made', async () => {
    const [path, body, name] = (MAKES['POST /component'] as () => [string, object, string])()
    const made = await send(admin, 'POST', `/rest${path}?include_fields=id`, body)
    expect(Object.keys(made.body)).toEqual(['id'])
    expect((await readAt(made)).body).toMatchObject({ id: made.body.id, name })
  })

  test('is missing where GET reads no single one, and where nothing was made', async () => {
    const reminder = { bug_id: bug, note: 'x', reminder_ts: '2099-01-01' }
    const answers = [
      await send(admin, 'POST', '/rest/keyword', named()[0]),
      await send(admin, 'POST', '/rest/api_key', { description: 'x' }),
      await send(admin, 'POST', `/rest/product/${encodeURIComponent(place.name)}/version`, {
        name: '9',
      }),
      await send(admin, 'PUT', `/rest/bug/${bug}`, { whiteboard: 'x' }),
      // its ID is left out
      await send(admin, 'POST', '/rest/reminder?include_fields=note', reminder),
    ]
    for (const { status, text, headers } of answers) {
      expect(status, text).toBeLessThan(300)
      expect(headers.get('location')).toBeNull()
    }
  })
})

describe('an unknown path', () => {
  test.each([
    ['GET', '/rest'],
    ['GET', '/rest/'],
    ['GET', '/rest.cgi'],
    ['GET', '/rest/nowhere'],
    ['POST', '/rest/nowhere'],
    ['GET', '/rest/version/1'],
    ['GET', '/rest/version//x'],
  ])('at %s %s: 404 and 32614', async (method, path) => {
    expectFault(await send(ANYONE, method, path), 404, 32614, method)
  })

  test('answers 404 before the body and the credentials are read', async () => {
    const sender = { key: 'no such key' }
    expectFault(await send(sender, 'POST', '/rest/nowhere', '{'), 404, 32614)
  })

  test('answers an error object outside of /rest too', async () => {
    const answer = await get(ANYONE, '/no/such/page')
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).not.toBe('application/json')
  })
})

describe('an operation', () => {
  test('answers with the status that it declares', async () => {
    const making = createService([
      buildProbe({ method: 'POST', status: 201 }, async () => ({ id: 1 })),
    ])
    expect((await fetchFrom(making, '/rest/probe', { method: 'POST' })).status).toBe(201)
  })

  test('cannot be mounted when its input lacks a parameter of its path', () => {
    expect(() => buildEchoService(['GET', '/thing/:id', z.object({})])).toThrow('id')
  })

  test('may answer a bare JSON value', async () => {
    const bare = createService([buildProbe({}, async () => false)])
    expect(await (await fetchFrom(bare, '/rest/probe')).text()).toBe('false')
  })
})
