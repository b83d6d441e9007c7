import { beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '../../support/browser.ts'
import { get } from '../../support/client.ts'
import {
  buildPrivateWorld,
  isKnownTo,
  type PrivateWorld,
  READERS,
  type Reader,
  SECRETS,
} from '../../support/worlds/private-world.ts'

/** Every page that shows something of bugs, read by everybody: nobody finds a word that they may not know. */

let world: PrivateWorld
let place: { product: string; component: string }
const browser = new Browser()

beforeAll(async () => {
  world = await buildPrivateWorld()
  const { body } = await get(world.people.insider, `/rest/bug/${world.bugs.open}`)
  place = body.bugs[0]
})

const COLUMNS = 'columnlist=all'

/** None of these addresses has a secret of its own. */
function listPages(): string[] {
  const product = encodeURIComponent(place.product)
  const list = `/bugs?product=${product}&${COLUMNS}`
  return [
    list,
    `${list}&tweak=1`,
    ...['csv', 'json', 'atom', 'rdf', 'ics'].map((ctype) => `${list}&ctype=${ctype}`),
    '/',
    '/products',
    `/products/${product}`,
    '/keywords',
    '/requests',
    `/requests?product=${product}`,
    `/search?product=${product}`,
  ]
}

describe('pages tell each reader no more than they may know', () => {
  test.each(READERS)('%s', async (reader: Reader) => {
    const sender = world.people[reader]
    const headers: Record<string, string> =
      sender.key === undefined ? {} : { 'x-tracker-api-key': sender.key }
    const people = Object.values(world.people).flatMap((one) => ('id' in one ? [one.id] : []))
    for (const path of [...listPages(), ...people.map((id) => `/people/${id}`)]) {
      const { html } = await browser.open(path, headers)
      const revealed = SECRETS.filter((name) => html.includes(world.words[name]))
      expect(
        revealed.filter((name) => !isKnownTo(reader, name)),
        path,
      ).toEqual([])
    }
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
