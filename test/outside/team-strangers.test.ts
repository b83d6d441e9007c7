import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSuccess, type Reply, type Visitor } from '../support/clients/visitor.ts'
import { LOGINS, PRIVATE, setUpTeam, type Team } from '../support/worlds/team.ts'
import { type RunningServer, startServer } from './running-server.ts'

/**
 * Nothing reveals to outsiders that there is a private product: neither its name, nor a count, nor a
 * refusal that differs from that of a product that does not exist.
 */

const ADMIN = 'root@tracker.example'
const KEY = 'lwAdministratorOfTheLampMakers0000000000'
const OUTSIDE = ['anyone', 'stranger', 'builder'] as const
const MISSING = { product: 'Quartz', group: 'quartz-makers', id: 999_999 }

let server: RunningServer
let team: Team

beforeAll(async () => {
  server = await startServer({ ADMIN_LOGIN: ADMIN, ADMIN_API_KEY: KEY })
  team = await setUpTeam(server.url, KEY)
})
afterAll(() => server?.stop())

/** Everything that can be read without naming the private product. */
const READINGS = [
  '/product_selectable',
  '/product_enterable',
  '/product_accessible',
  '/product',
  '/product?type=accessible&type=selectable&type=enterable',
  '/product/Lamp',
  '/classification',
  '/component/Lamp/Wick',
  '/flag_type/Lamp',
  '/flag_type/TestProduct',
  '/field/bug',
  '/field/bug/component/2/values',
  '/field/bug/cf_glass/values',
  '/keyword',
  '/group',
  '/user?match=*',
  `/user/${LOGINS.member}`,
  `/user/${LOGINS.lead}`,
  '/configuration',
  '/parameters',
  '/extensions',
  '/time',
  '/timezone',
  '/version',
  '/last_audit_time',
  '/audit',
  '/whoami',
  '/api_key',
  '/bug?status=UNCONFIRMED',
  '/bug?status=UNCONFIRMED&include_fields=_all',
  '/bug?count_only=1&creator=mara@lantern.example',
]

describe.each(OUTSIDE)('%s', (who) => {
  test.each(READINGS)('reads nothing of the private product at %s', async (path) => {
    const { text } = await team[who].get(path)
    const leaks = Object.values(PRIVATE).filter((word) => text.includes(word))
    expect(leaks).toEqual([])
  })

  test('gets no ID and no count of the private product', async () => {
    const { prism } = team.ids
    for (const list of ['selectable', 'enterable', 'accessible']) {
      const { ids } = await expectSuccess(team[who].get(`/product_${list}`))
      expect(ids).not.toContain(prism)
      expect(ids).toHaveLength(2)
    }
    const { keywords } = await expectSuccess(team[who].get('/keyword?include_fields=bug_count'))
    expect(keywords).toEqual([{ bug_count: 0 }, { bug_count: 0 }])
    const { bug_count: found } = await expectSuccess(
      team[who].get('/bug?count_only=1&status=UNCONFIRMED'),
    )
    expect(found).toBe(0)
  })

  test.each([
    (name: string) => `/product/${name}`,
    (name: string) => `/product?names=${name}&type=enterable`,
    (name: string) => `/component/${name}/Cutting`,
    (name: string) => `/component/${name}/Nothing`,
    (name: string) => `/component?product=${name}&component=Cutting`,
    (name: string) => `/flag_type/${name}`,
    (name: string) => `/flag_types/${name}/Cutting`,
    (name: string) => `/product/${name}/group_control`,
    (name: string) => `/configuration?product=${name}&include_fields=product,flag_type,group`,
    (name: string) => `/bug?product=${name}`,
    (name: string) => `/bug?product=${name}&count_only=1`,
    (name: string) => `/last_audit_time?class=${name}`,
  ])('cannot distinguish it from a missing product by name: %s', async (path) => {
    const hidden = await team[who].get(path(PRIVATE.product))
    const missing = await team[who].get(path(MISSING.product))
    expect(pickAnswer(hidden, PRIVATE.product)).toEqual(pickAnswer(missing, MISSING.product))
  })

  test.each([
    (id: number) => `/product/${id}`,
    (id: number) => `/product?ids=${id}&ids=2`,
    (id: number) => `/product/${id}/group_control`,
    (id: number) => `/field/bug/version/${id}/values`,
    (id: number) => `/field/bug/target_milestone/${id}/values`,
    (id: number) => `/field/bug/component/${id}/values`,
    (id: number) => `/field/bug/priority/${id}/values`,
  ])('cannot distinguish it from a missing product by ID: %s', async (path) => {
    const hidden = await team[who].get(path(team.ids.prism))
    const missing = await team[who].get(path(MISSING.id))
    expect(pickAnswer(hidden, String(team.ids.prism))).toEqual(
      pickAnswer(missing, String(MISSING.id)),
    )
  })

  test.each([
    (name: string) => `/group/${name}`,
    (name: string) => `/group/${name}?membership=1`,
    (name: string) => `/group?names=${name}&names=admin`,
    (name: string) => `/group/${name}/grants`,
    (name: string) => `/user?names=${LOGINS.member}&groups=${name}`,
    (name: string) => `/user?match=mara&group=${name}`,
  ])('cannot distinguish its group from a missing one: %s', async (path) => {
    const hidden = await team[who].get(path(PRIVATE.group))
    const missing = await team[who].get(path(MISSING.group))
    expect(pickAnswer(hidden, PRIVATE.group)).toEqual(pickAnswer(missing, MISSING.group))
  })

  test.each<[string, (visits: Visitor, name: string) => Promise<Reply>]>([
    ['file a bug', (visits, name) => visits.post('/bug', bugIn(name))],
    ['change it', (visits, name) => visits.put(`/product/${name}`, { is_open: false })],
    ['change it too', (visits, name) => visits.put('/product/Lamp', { names: [name] })],
    ['add a component', (visits, name) => visits.post(`/component/${name}`, component())],
    ['add one elsewhere', (visits, name) => visits.post('/component', component(name))],
    ['change a component', (visits, name) => visits.put(`/component/${name}/Cutting`, {})],
    ['add a version', (visits, name) => visits.post(`/product/${name}/version`, { name: '1' })],
    ['close a version', (visits, name) => visits.put(`/product/${name}/version/facet 2`, {})],
    ['add a milestone', (visits, name) => visits.post(`/product/${name}/milestone`, { name: 'x' })],
    [
      'control a group',
      (visits, name) => visits.put(`/product/${name}/group_control/staff`, { entry: true }),
    ],
    [
      'make a flag type',
      (visits, name) =>
        visits.post('/flag_type', { name: 'x', description: 'x', inclusions: [name] }),
    ],
    [
      'exclude it from one',
      (visits, name) =>
        visits.put('/flag_type/approval', { exclusions: [{ [name]: ['Cutting'] }] }),
    ],
  ])('gets the same refusal as for a missing product when it tries to %s', async (_, attempt) => {
    const hidden = await attempt(team[who], PRIVATE.product)
    const missing = await attempt(team[who], MISSING.product)
    expect(hidden.status).toBe(401)
    expect(pickAnswer(hidden, PRIVATE.product)).toEqual(pickAnswer(missing, MISSING.product))
  })

  test('may not see a bug of the private product', async () => {
    expect((await team[who].get(`/bug/${team.ids.bug}`)).body.code).toBe(102)
    expect((await team[who].get(`/bug/${team.ids.bug}/comment`)).body.code).toBe(102)
    expect((await team[who].get(`/bug/${team.ids.bug}/history`)).body.code).toBe(102)
  })
})

describe('a repeated request', () => {
  test.each(['/configuration', '/field/bug'])('gets 304 without a body at %s', async (path) => {
    for (const who of ['anyone', 'stranger', 'member', 'admin'] as const) {
      const first = await team[who].get(path)
      const tag = first.headers.get('etag') ?? ''
      expect(tag).toMatch(/^W\/"/)
      const again = await team[who].get(path, { 'if-none-match': tag })
      expect([again.status, again.text]).toEqual([304, ''])
    }
    const [outside, inside] = [await team.stranger.get(path), await team.member.get(path)]
    const tag = outside.headers.get('etag') ?? ''
    expect(inside.headers.get('etag')).not.toBe(tag)
    expect((await team.member.get(path, { 'if-none-match': tag })).status).toBe(200)
  })

  test('shows the settings of the tracker to administrators alone', async () => {
    const names = async (who: keyof Team & ('anyone' | 'stranger' | 'member' | 'admin')) =>
      Object.keys((await expectSuccess(team[who].get('/parameters'))).parameters)
    expect(await names('anyone')).toEqual(['maintainer', 'requirelogin'])
    expect(await names('stranger')).toEqual(await names('member'))
    expect(await names('stranger')).not.toContain('search_limit')
    expect(await names('admin')).toEqual(expect.arrayContaining(['search_limit', 'insidergroup']))
  })
})

/** An answer without the name that the request contains. */
function pickAnswer({ status, text }: Reply, name: string) {
  return { status, text: text.replaceAll(`'${name}'`, '…') }
}

function bugIn(product: string) {
  const summary = 'Whatever this is'
  return { product, component: PRIVATE.component, version: 'unspecified', summary }
}

function component(product?: string) {
  const people = { default_assignee: LOGINS.member, team_name: 'None' }
  return { name: 'Cutting', description: 'None', ...people, ...(product ? { product } : {}) }
}
