import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseMoment, toDatetime } from '../../../src/platform/lib/time.ts'
import { CommandError } from '../../command.ts'
import { listFolder } from '../folder.ts'
import type { Manifest } from '../manifest.ts'
import { buildArchive } from '../source/build-archive.ts'
import type { Mapping } from '../source/mapping.ts'
import { Notes } from '../source/notes.ts'
import type { SourceStructure } from '../source/shapes.ts'
import { fetchBugs } from './fetch-bugs.ts'
import { fetchPeople, fetchStructure } from './fetch-structure.ts'
import { RawBugs } from './raw-bugs.ts'
import { readTime } from './read.ts'
import type { RestSource } from './rest.ts'

/** What is fetched, and how far it is; the archive is built when everything is there. */
const UNFINISHED = 'unfinished'

/** Times that what changes meanwhile is brought along; a busy tracker changes again and again. */
const MAX_ROUNDS = 10
/** What no dialect of the API has. */
const NEVER_TOLD =
  'the API does not tell: passwords, hours of single comments, history of the tags of comments and of flags, watches, saved searches, last visits'

/** By which the clock of a source may be wrong. */
const CLOCK_SECONDS = 60

type State = {
  readonly source: string
  readonly since: string | null
  /** From when on changes are brought along. */
  mark: string
  phase: 'bugs' | 'changes'
  after: number
  bytes: number
  notes: ReturnType<Notes['toJSON']>
}

type Fetched = { readonly manifest: Manifest; readonly mapping: Mapping }

/** Fetches a tracker into an archive in a folder, or goes on with it. */
export async function fetchTracker(
  rest: RestSource,
  folder: string,
  { since, mapping }: { readonly since: string | null; readonly mapping: Mapping },
): Promise<Fetched> {
  const place = join(folder, UNFINISHED)
  await rest.open()
  const state = await openState(rest, folder, place, since)
  mkdirSync(join(folder, 'files'), { recursive: true })
  const raw = new RawBugs(join(place, 'bugs.ndjson'), state.bytes)
  const notes = new Notes(state.notes)
  notes.add(NEVER_TOLD)
  const save = (after: number) => {
    Object.assign(state, { after, bytes: raw.bytes, notes: notes.toJSON() })
    writeState(place, state)
  }
  const fetching = { rest, raw, files: join(folder, 'files'), notes }
  try {
    if (state.phase === 'bugs') {
      await fetchBugs(fetching, { after: state.after, since }, save)
      state.phase = 'changes'
      save(0)
    }
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const now = await readClock(rest)
      const count = await fetchBugs(fetching, { after: 0, since: state.mark }, save)
      state.mark = now
      save(0)
      if (count === 0) {
        break
      }
    }
    // the last, because bugs may name what came meanwhile
    const described = await fetchStructure(rest, notes)
    const people = await fetchPeople(rest, raw.all(), notes)
    save(0)
    const structure: SourceStructure = { ...described, people }
    const source = { name: rest.url, moment: state.mark, since, structure, bugs: () => raw.all() }
    return await buildArchive(folder, source, mapping, notes)
  } finally {
    raw.close()
  }
}

/** Removes what only an unfinished archive needs. */
export function finishFolder(folder: string): void {
  rmSync(join(folder, UNFINISHED), { recursive: true, force: true })
}

async function openState(
  rest: RestSource,
  folder: string,
  place: string,
  since: string | null,
): Promise<State> {
  const path = join(place, 'state.json')
  if (existsSync(path)) {
    const state = JSON.parse(readFileSync(path, 'utf8')) as State
    if (state.source !== rest.url || state.since !== since) {
      throw new CommandError(`${folder} has an unfinished archive of something else: remove it.`)
    }
    return state
  }
  const present = await listFolder(folder)
  if (present.length > 0) {
    throw new CommandError(`${folder} is not empty: it has ${present.slice(0, 5).join(', ')}.`)
  }
  mkdirSync(place, { recursive: true })
  const mark = await readClock(rest)
  const state: State = {
    ...{ source: rest.url, since, mark, phase: 'bugs', after: 0, bytes: 0, notes: [] },
  }
  writeState(place, state)
  return state
}

function writeState(place: string, state: State): void {
  const path = join(place, 'state.json')
  writeFileSync(`${path}.new`, JSON.stringify(state))
  renameSync(`${path}.new`, path)
}

/** The time of the source, a little back. */
async function readClock(rest: RestSource): Promise<string> {
  const { web_time_utc: utc, web_time: local } = await rest.get('time')
  const seconds = parseMoment(readTime(utc) ?? readTime(local) ?? '') ?? Date.now() / 1000
  return toDatetime(Math.floor(seconds) - CLOCK_SECONDS)
}
