import { createRandom } from '../../../scripts/generator/random.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import { insertCustomField } from '../builders/fields.ts'
import { insertPerson } from '../builders/people.ts'
import { uniqueName } from '../builders/unique.ts'
import { type DrawnPerson, type DrawnWorld, drawWorld } from './drawn-world.ts'
import { loadFreeNumbers, storeWorlds } from './drawn-world-store.ts'
import { Oracle } from './visibility-oracle.ts'

const PEOPLE = 6
const SITE = 'https://tracker.test'

/** Worlds around the same few people, in the database, and what each of these may see there. */
export type DrawnBatch = {
  /** In the whiteboard of every bug of these worlds. */
  readonly marker: string
  readonly customField: string
  readonly people: readonly DrawnPerson[]
  readonly worlds: readonly DrawnWorld[]
  readonly oracle: Oracle
}

/** Draws a batch of worlds and writes it to the database; equal for equal seeds and numbers. */
export async function drawBatch(drawn: {
  seed: number
  number: number
  worlds: number
}): Promise<DrawnBatch> {
  const r = createRandom(drawn.seed, drawn.number)
  const roles: Role[] = ['insider', 'timetracking', 'editbugs', 'admin']
  const people: DrawnPerson[] = []
  for (let i = 0; i < PEOPLE; i += 1) {
    const own = i === 0 ? [] : roles.filter(() => r.chance(0.35))
    people.push({ ...(await insertPerson({ roles: own })), roles: own })
  }
  const { id: customFieldId, name } = await insertCustomField(6)
  const numbers = await loadFreeNumbers()
  const worlds: DrawnWorld[] = []
  for (let i = 0; i < drawn.worlds; i += 1) {
    const neighbours = worlds.at(-1)?.bugs.map(({ id }) => id) ?? []
    worlds.push(drawWorld(r, { people, neighbours, site: SITE, customField: name, numbers }))
  }
  const marker = uniqueName('drawn')
  await storeWorlds(worlds, { people, customFieldId, marker })
  return { marker, customField: name, people, worlds, oracle: new Oracle(worlds, name) }
}
