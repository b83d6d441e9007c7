import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { PARTS } from '../../src/edges/archive/parts.ts'
import { CommandError } from '../command.ts'
import { describeFile, listFolder, readFileLines, sha256Of } from './folder.ts'
import { FORMAT, MANIFEST, type Manifest, partFile, VERSION } from './manifest.ts'
import { showProgress } from './progress.ts'
import type { Tracker } from './tracker.ts'

/** Times that what has changed meanwhile is brought along; a busy tracker changes again and again. */
const MAX_ROUNDS = 10
const STATE = 'unfinished.json'
const FILES_AT_ONCE = 8

type ExportOptions = {
  readonly since: string | null
  readonly withCredentials: boolean
}

/** How far an export is. `bytes` of a file are written as a whole. */
type State = ExportOptions & {
  readonly source: string
  mark: string
  parts: Record<string, { after: number; bytes: number; isDone: boolean }>
}

type Run = { readonly tracker: Tracker; readonly folder: string; readonly state: State }

type Overview = { parts: { name: string; rows: number }[]; mark: string; last_change: string }

/**
 * Writes the archive of a tracker into a folder, or goes on with it. The manifest comes last, so that a folder with
 * one is whole.
 */
export async function exportTracker(
  tracker: Tracker,
  folder: string,
  source: string,
  options: ExportOptions,
): Promise<Manifest> {
  mkdirSync(join(folder, 'files'), { recursive: true })
  const first = await readOverview(tracker)
  const state = await openState(folder, { ...options, source, mark: first.mark, parts: {} })
  const run = { tracker, folder, state }
  for (const part of first.parts) {
    await fetchPart(run, part, partFile(part.name), options.since)
  }
  const moment = await bringAlong(run)
  const { files, missing } = await fetchFiles(tracker, folder)
  const parts: Manifest['parts'] = {}
  for (const { name } of PARTS) {
    const path = join(folder, partFile(name))
    const described = await describeFile(path)
    if (described.lines === 0) {
      rmSync(path)
    } else {
      parts[name] = described
    }
  }
  const manifest: Manifest = {
    ...{ format: FORMAT, version: VERSION, source, made: new Date().toISOString(), moment },
    ...{ since: options.since, credentials: options.withCredentials, parts, files, missing },
  }
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`)
  rmSync(join(folder, STATE))
  return manifest
}

async function openState(folder: string, fresh: State): Promise<State> {
  const path = join(folder, STATE)
  if (!existsSync(path)) {
    const names = (await listFolder(folder)).filter((name) => name !== 'files')
    if (names.length > 0) {
      throw new CommandError(`${folder} is not empty: it has ${names.slice(0, 5).join(', ')}.`)
    }
    writeFileSync(path, JSON.stringify(fresh))
    return fresh
  }
  const state = JSON.parse(readFileSync(path, 'utf8')) as State
  const isSame =
    state.source === fresh.source &&
    state.since === fresh.since &&
    state.withCredentials === fresh.withCredentials
  if (!isSame) {
    throw new CommandError(`${folder} has an unfinished export of something else: remove it first.`)
  }
  return state
}

async function readOverview(tracker: Tracker): Promise<Overview> {
  return (await (await tracker.request('GET', '/export')).json()) as Overview
}

/** Appends the lines of a part to its file, behind those that are there. */
async function fetchPart(
  { tracker, folder, state }: Run,
  { name, rows }: Overview['parts'][number],
  file: string,
  since: string | null,
): Promise<void> {
  const path = join(folder, file)
  const place = state.parts[file] ?? { after: 0, bytes: 0, isDone: false }
  state.parts[file] = place
  if (place.isDone) {
    return
  }
  writeFileSync(path, '', { flag: 'a' })
  truncateSync(path, place.bytes)
  const query = new URLSearchParams({
    ...(since === null ? {} : { since }),
    ...(state.withCredentials ? { credentials: 'true' } : {}),
  })
  const output = await open(path, 'a')
  try {
    for (;;) {
      query.set('after', String(place.after))
      const response = await tracker.request('GET', `/export/${name}?${query}`)
      let count = 0
      for await (const text of wholeLines(response)) {
        const { last, kept } = keepLines(text, tracker.ownHash)
        await output.write(kept)
        place.after = last
        place.bytes += Buffer.byteLength(kept)
        count += 1
        writeState(folder, state)
        showProgress(name, Math.min(place.after, rows), rows)
      }
      if (count === 0) {
        break
      }
    }
  } finally {
    await output.close()
  }
  place.isDone = true
  writeState(folder, state)
}

/** The answer in pieces of whole lines. What follows a broken line comes with the next request. */
async function* wholeLines(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const piece of response.body ?? []) {
      rest += decoder.decode(piece as Uint8Array, { stream: true })
      const end = rest.lastIndexOf('\n') + 1
      if (end > 0) {
        yield rest.slice(0, end)
        rest = rest.slice(end)
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) {
      throw error
    }
  }
}

/** Without the key of this command. */
function keepLines(text: string, ownHash: string | null): { last: number; kept: string } {
  const lines = text.trimEnd().split('\n')
  const { id } = JSON.parse(lines.at(-1) ?? '') as { id: number }
  const kept = ownHash === null ? text : lines.filter((line) => !line.includes(ownHash)).join('\n')
  return { last: id, kept: kept === '' || kept.endsWith('\n') ? kept : `${kept}\n` }
}

function writeState(folder: string, state: State): void {
  const path = join(folder, STATE)
  writeFileSync(`${path}.new`, JSON.stringify(state))
  renameSync(`${path}.new`, path)
}

/** Brings along what changes while the export runs, until nothing does; returns the moment that it is true for. */
async function bringAlong(run: Run): Promise<string> {
  const { tracker, folder, state } = run
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { parts, mark, last_change: lastChange } = await readOverview(tracker)
    if (lastChange < state.mark) {
      return state.mark
    }
    for (const part of parts) {
      const delta = `${part.name}.changed`
      delete state.parts[delta]
      await fetchPart(run, part, delta, state.mark)
      delete state.parts[delta]
      await mergePart(folder, part.name, delta, state.since !== null)
    }
    state.mark = mark
    writeState(folder, state)
  }
  return state.mark
}

/**
 * Puts changed lines in the place of those with their numbers. Parts that are not about bugs are replaced as a whole.
 */
async function mergePart(
  folder: string,
  name: string,
  delta: string,
  keepsEmpty: boolean,
): Promise<void> {
  const part = PARTS.find((one) => one.name === name)
  const [path, changed] = [join(folder, partFile(name)), join(folder, delta)]
  const isEmpty = (text: string) => {
    const { id: _, ...rest } = JSON.parse(text) as Record<string, unknown>
    return Object.values(rest).every(
      (value) => value === null || (Array.isArray(value) && value.length === 0),
    )
  }
  const drops = part?.isAddition === true && !keepsEmpty
  const merged = createWriteStream(`${path}.merged`)
  const news = linesOf(changed)
  // of other parts the whole was read again
  const olds = linesOf(part?.changes === null ? null : path)
  let [older, newer] = [await olds.next(), await news.next()]
  while (!older.done || !newer.done) {
    const takesNew = !newer.done && (older.done || newer.value.id <= older.value.id)
    const line = takesNew ? newer.value : older.value
    if (line !== undefined && !(takesNew && drops && isEmpty(line.text))) {
      if (!merged.write(`${line.text}\n`)) {
        await new Promise<void>((drained) => merged.once('drain', () => drained()))
      }
    }
    if (takesNew && !older.done && older.value.id === newer.value?.id) {
      older = await olds.next()
    }
    if (takesNew) {
      newer = await news.next()
    } else {
      older = await olds.next()
    }
  }
  await new Promise<void>((finished) => merged.end(() => finished()))
  renameSync(`${path}.merged`, path)
  rmSync(changed)
}

async function* linesOf(path: string | null): AsyncGenerator<{ id: number; text: string }> {
  if (path !== null) {
    for await (const { text } of readFileLines(path)) {
      yield { id: Number(/^\{"id":(\d+)/.exec(text)?.[1]), text }
    }
  }
}

/** Reads the bytes of attachments that are not there yet. */
async function fetchFiles(
  tracker: Tracker,
  folder: string,
): Promise<Pick<Manifest, 'files' | 'missing'>> {
  const sizes = new Map<string, number>()
  for await (const { text } of readFileLines(join(folder, partFile('attachments')))) {
    const { digest, size } = JSON.parse(text) as { digest: string; size: number }
    sizes.set(digest, size)
  }
  const files: Manifest['files'] = {}
  const missing: string[] = []
  const present = new Set(await listFolder(join(folder, 'files')))
  let done = 0
  const digests = [...sizes.keys()].sort()
  for (let n = 0; n < digests.length; n += FILES_AT_ONCE) {
    const some = digests.slice(n, n + FILES_AT_ONCE)
    const found = await Promise.all(
      some.map(async (digest) => {
        const path = join(folder, 'files', digest)
        return present.has(digest) || (await fetchFile(tracker, digest, path)) ? path : null
      }),
    )
    for (const [at, digest] of some.entries()) {
      const path = found[at]
      if (typeof path === 'string') {
        files[digest] = { size: statSync(path).size }
      } else {
        missing.push(digest)
      }
    }
    done += some.length
    showProgress('files', done, digests.length)
  }
  return { files, missing }
}

async function fetchFile(tracker: Tracker, digest: string, path: string): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/.test(digest)) {
    return false
  }
  const response = await tracker.request('GET', `/export/file/${digest}`)
  if (!response.ok) {
    await response.body?.cancel()
    return false
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (sha256Of(bytes) !== digest) {
    return false
  }
  writeFileSync(`${path}.new`, bytes)
  renameSync(`${path}.new`, path)
  return true
}
