import { describe, expect, test } from 'vitest'
import { PAGES } from '../../../src/edges/pages/routes.ts'
import { Browser } from '../../support/browser.ts'
import { get, put } from '../../support/client.ts'
import {
  buildPrivateWorld,
  isKnownTo,
  READERS,
  type Reader,
  SECRETS,
} from '../../support/worlds/private-world.ts'

/** Every page, read by everybody: nobody finds a word that they may not know, nor a link to a bug that they do not see. */

const browser = new Browser()

const world = await buildPrivateWorld()
const { open, hidden } = world.bugs
const { body } = await get(world.people.insider, `/rest/bug/${open}`)
const place = body.bugs[0]
const linked = await put(world.people.member, `/rest/bug/${open}`, {
  depends_on: { add: [hidden] },
  comment: { body: `Like bug ${hidden}.` },
})
expect(linked.status, linked.text).toBe(200)

/** None of these addresses has a secret of its own. */
function addressesOf(path: string): string[] {
  const product = encodeURIComponent(place.product)
  const component = encodeURIComponent(place.component)
  const bugs = Object.values(world.bugs)
  const files = Object.values(world.files)
  const people = Object.values(world.people).flatMap((one) => ('id' in one ? [one.id] : []))
  const list = `?product=${product}&columnlist=all`
  const special: Readonly<Record<string, readonly string[]>> = {
    '/bug/:id': bugs.flatMap((id) =>
      ['', '?edit=1', '?quote=1', '?format=xml', '?ctype=xml'].map((query) => `/bug/${id}${query}`),
    ),
    '/show_bug.cgi': bugs.map((id) => `/show_bug.cgi?ctype=xml&id=${id}`),
    '/bugs': [
      list,
      `${list}&tweak=1`,
      ...['csv', 'json', 'atom', 'rdf', 'ics'].map((ctype) => `${list}&ctype=${ctype}`),
    ].map((query) => `/bugs${query}`),
    '/account': [
      ...['profile', 'second-factor', 'mail', 'watching', 'searches', 'reminders'],
      ...['keys', 'webhooks', 'sessions', 'permissions'],
    ].map((tab) => `/account?tab=${tab}`),
    '/requests': ['/requests', `/requests?product=${product}`],
    '/suggest/people': ['/suggest/people?match=a'],
    '/suggest/duplicates': ['/suggest/duplicates?summary=private+hidden+nothing'],
  }
  if (special[path] !== undefined) {
    return [...special[path]]
  }
  const ids = path.startsWith('/people') ? people : path.startsWith('/attachment') ? files : bugs
  const query = `?product=${product}&component=${component}&id=`
  return [...new Set(ids.map((id) => `${path}${query}${id}`))].map((address, index) =>
    address
      .replace(/:id(\{[^}]*\})?/, String(ids[index]))
      .replace(/:name/, path.startsWith('/admin/fields') ? 'priority' : product),
  )
}

/** The types of flags that a product has are no secret, though these are named by secrets. */
const OFFERED_FLAG = /<div class="row"><span[^>]*>\w+<\/span><select name="flagtype-.*?<\/div>/gs

const PATHS = [
  ...new Set(PAGES.filter(({ method = 'GET' }) => method === 'GET').map(({ path }) => path)),
]

describe('no page tells a reader more than they may know', () => {
  test.each(PATHS)('%s', async (path) => {
    for (const reader of READERS) {
      const { key } = world.people[reader]
      const headers: Record<string, string> = key === undefined ? {} : { 'x-tracker-api-key': key }
      for (const address of addressesOf(path)) {
        const { status, html: page } = await browser.open(address, headers)
        const html = page.replaceAll(OFFERED_FLAG, '')
        expect(status, `${reader} ${address}`).toBeLessThan(500)
        const revealed = SECRETS.filter(
          (name) => html.includes(world.words[name]) && !isKnownTo(reader, name),
        )
        expect(revealed, `${reader} ${address}`).toEqual([])
        if (!isKnownTo(reader, 'hidden') && !address.includes(String(world.bugs.hidden))) {
          expect(html, `${reader} ${address}`).not.toContain(`/bug/${world.bugs.hidden}"`)
        }
      }
    }
  })

  test('but those who may know find every word on some page', async () => {
    const { bugs, files, people, words } = world
    const seen = async (reader: Reader, ...addresses: string[]) => {
      const { key = '' } = people[reader]
      const pages: string[] = []
      for (const address of addresses) {
        pages.push((await browser.open(address, { 'x-tracker-api-key': key })).html)
      }
      return pages.join('')
    }
    const insiders = await seen('insider', `/bug/${bugs.open}`, `/bug/${bugs.described}`)
    for (const name of [
      'privateComment',
      'privateTag',
      'insidersFile',
      'submittersFile',
      'insidersRemark',
      'privateDescription',
    ] as const) {
      expect(insiders, name).toContain(words[name])
    }
    const members = await seen('member', `/bug/${bugs.hidden}`, `/bug/${bugs.open}`)
    expect(members).toContain(words.hidden)
    expect(members).toContain(`/bug/${bugs.hidden}"`)
    const details = `/attachment/${files.submitters}/details`
    expect(await seen('submitter', details)).toContain(words.submittersFile)
  })

  test('and the requests on private attachments are shown to those who see these', async () => {
    for (const name of ['insidersFlag', 'submittersFlag'] as const) {
      for (const reader of READERS) {
        const answer = await get(
          world.people[reader],
          `/rest/flag/requests?type=${world.words[name]}&include_fields=id`,
        )
        expect(answer.body.requests, `${reader} ${name}`).toHaveLength(
          isKnownTo(reader, name) ? 1 : 0,
        )
      }
    }
  })
})
