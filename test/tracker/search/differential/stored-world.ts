import { createRandom } from '../../../../scripts/generator/random.ts'
import { ANONYMOUS, type Caller } from '../../../../src/platform/access/caller.ts'
import { loadCaller } from '../../../support/builders/callers.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { insertCast, insertFieldOfEachType, loadFreeIds } from './cast.ts'
import { drawWorld } from './draw-world.ts'
import { storeWorld } from './store-world.ts'
import type { Reader, World } from './world.ts'

/** Those who search, from the outermost to the innermost; the first is nobody in particular. */
const READERS = ['anyone', 'bob', 'Carol', 'bob.carol', 'zoë', 'tim', 'ines', 'ada'] as const

export type ReaderName = (typeof READERS)[number]

/** A world that stands in the database as it stands in memory. */
export type StoredWorld = {
  readonly world: World
  readonly readers: readonly {
    readonly name: ReaderName
    readonly reader: Reader
    readonly caller: Caller
  }[]
}

/** Draws a world and writes it. */
export async function insertDrawnWorld(seed: number): Promise<StoredWorld> {
  const marker = uniqueName('w').toLowerCase()
  const people = await insertCast(`${marker}.test`)
  const customFields = await insertFieldOfEachType()
  const free = await loadFreeIds()
  return insertWorld(drawWorld(createRandom(seed), { marker, people, customFields, free }))
}

export async function insertWorld(world: World): Promise<StoredWorld> {
  await storeWorld(world)
  const readers = await Promise.all(
    READERS.map(async (name) => {
      const reader = world.people.find(({ login }) => login.startsWith(`${name}@`)) ?? null
      const caller = reader === null ? ANONYMOUS : await loadCaller(reader, [...reader.roles])
      return { name, reader, caller }
    }),
  )
  return { world, readers }
}
