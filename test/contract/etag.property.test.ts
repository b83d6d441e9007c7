import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { createRandom } from '../../scripts/generator/random.ts'
import type { Role } from '../../src/platform/access/roles.ts'
import { insertCustomField } from '../support/builders/fields.ts'
import { insertApiKey, insertPerson } from '../support/builders/people.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, get, type Sender } from '../support/client.ts'
import { type DrawnPerson, drawWorld } from '../support/worlds/drawn-world.ts'
import { loadFreeNumbers, storeWorlds } from '../support/worlds/drawn-world-store.ts'

const SEED = Number(env.VISIBILITY_SEED)
const WORLDS = 6
const PEOPLE = 6

const QUERIES = [
  '',
  '?include_fields=id',
  '?include_fields=_all',
  '?include_fields=depends_on,blocks,duplicates,see_also',
  '?include_fields=comments,history,attachments',
]

type Seen = { readonly status: number; readonly content: string; readonly tag: string | null }

beforeAll(() => console.log(`the bugs of this run are drawn from VISIBILITY_SEED=${SEED}`))

async function drawViewersAndBugs() {
  const r = createRandom(SEED, 1)
  const roles: Role[] = ['insider', 'timetracking', 'editbugs']
  const people: DrawnPerson[] = []
  for (let i = 0; i < PEOPLE; i += 1) {
    const own = i === 0 ? [] : roles.filter(() => r.chance(0.4))
    people.push({ ...(await insertPerson({ roles: own })), roles: own })
  }
  const { id: customFieldId, name } = await insertCustomField(6)
  const numbers = await loadFreeNumbers()
  const place = { people, neighbours: [], site: 'https://tracker.test', customField: name, numbers }
  const worlds = Array.from({ length: WORLDS }, () => drawWorld(r, place))
  await storeWorlds(worlds, { people, customFieldId, marker: uniqueName('drawn') })
  const products = worlds.slice(0, 1).map(({ productId }) => productId)
  const limited = people.slice(0, 2).map((who) => insertApiKey(who, { products }))
  const viewers: Sender[] = [ANYONE, ...people, ...(await Promise.all(limited))]
  return { viewers, ids: worlds.flatMap(({ bugs }) => bugs.map(({ id }) => id)) }
}

/** What somebody is shown; the update token is a number of one answer and not a thing to be seen. */
async function look(who: Sender, path: string): Promise<Seen> {
  const { status, text, headers } = await get(who, path)
  const content = text.replaceAll(/"update_token":"[^"]*"/g, '')
  return { status, content, tag: headers.get('etag') }
}

test(`two viewers of one address have the same tag exactly when they are shown the same, for the bugs of seed ${SEED}`, async () => {
  const { viewers, ids } = await drawViewersAndBugs()
  let same = 0
  let different = 0
  const owners = new Map<string, string>()
  for (const id of ids.slice(0, 12)) {
    for (const query of QUERIES) {
      const path = `/rest/bug/${id}${query}`
      const seen = await Promise.all(viewers.map((who) => look(who, path)))
      for (const { status, tag } of seen) {
        expect(tag === null, `${path} has a tag unless it is refused`).toBe(status !== 200)
      }
      const shown = seen.filter(({ status }) => status === 200)
      for (const [n, one] of shown.entries()) {
        for (const other of shown.slice(n + 1)) {
          const isSame = one.content === other.content
          expect(one.tag === other.tag, `${path}: ${one.content} and ${other.content}`).toBe(isSame)
          same += Number(isSame)
          different += Number(!isSame)
        }
        // nor does a tag stand for two contents at different addresses
        const owner = owners.get(one.tag ?? '') ?? one.content
        expect(owner).toBe(one.content)
        owners.set(one.tag ?? '', owner)
      }
    }
  }
  expect(same, 'some were shown the same').toBeGreaterThan(20)
  expect(different, 'some were shown different things').toBeGreaterThan(20)
})
