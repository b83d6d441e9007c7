import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTS } from '../../src/edges/archive/parts.ts'
import { CommandError } from '../command.ts'
import { type ArchiveFolder, readLines } from './folder.ts'
import { partFile } from './manifest.ts'
import { showProgress } from './progress.ts'
import type { Tracker } from './tracker.ts'

/** Characters of the lines of one request: fewer than it takes, and not so many that others wait long. */
const MAX_CHARACTERS = 1_000_000
const MAX_LINES = 2000

type Begun = { archive: string; parts: Record<string, number> }
type Answer = { accepted: number; refused: { line: number; reason: string }[] }

/** Writes an archive into a tracker, or goes on behind the lines that are in. */
export async function importArchive(
  tracker: Tracker,
  { folder, manifest, digest }: ArchiveFolder,
  addedLines: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const { parts: progress } = await change(tracker, {
    ...{ begin: true, source: manifest.source, archive: digest },
  })
  const files = Object.keys(manifest.files)
  if ((progress.attachments ?? 0) === 0) {
    for (const [n, name] of files.entries()) {
      await tracker.request(
        'PUT',
        `/import/file/${name}`,
        readFileSync(join(folder, 'files', name)),
      )
      showProgress('files', n + 1, files.length)
    }
  }
  const counts: Record<string, number> = {}
  for (const { name } of PARTS) {
    const all = manifest.parts[name]?.lines ?? 0
    const sender = new LineSender(tracker, name, progress[name] ?? 0, all)
    for await (const line of readLines(folder, name)) {
      await sender.add(line)
    }
    for (const text of addedLines.get(name) ?? []) {
      await sender.add({ number: 0, text })
    }
    await sender.flush()
    counts[name] = all + (addedLines.get(name) ?? []).length
  }
  await change(tracker, { end: true, ...(manifest.since === null ? { counts } : {}) })
}

async function change(tracker: Tracker, body: object): Promise<Begun> {
  const response = await tracker.request('POST', '/import', JSON.stringify(body))
  return (await response.json()) as Begun
}

/** Sends lines in requests of a fitting size; those up to `last` are in. */
class LineSender {
  #lines: { number: number; text: string }[] = []
  #size = 0
  readonly #tracker: Tracker
  readonly #part: string
  readonly #last: number
  readonly #all: number

  constructor(tracker: Tracker, part: string, last: number, all: number) {
    this.#tracker = tracker
    this.#part = part
    this.#last = last
    this.#all = all
  }

  async add(line: { number: number; text: string }): Promise<void> {
    if (this.#last > 0 && (JSON.parse(line.text) as { id: number }).id <= this.#last) {
      return
    }
    if (this.#size + line.text.length > MAX_CHARACTERS || this.#lines.length === MAX_LINES) {
      await this.flush()
    }
    this.#lines.push(line)
    this.#size += line.text.length
  }

  async flush(): Promise<void> {
    const lines = this.#lines
    if (lines.length === 0) {
      return
    }
    this.#lines = []
    this.#size = 0
    const body = lines.map(({ text }) => text).join('\n')
    const response = await this.#tracker.request('POST', `/import/${this.#part}`, body)
    const { refused } = (await response.json()) as Answer
    if (refused.length > 0) {
      const reasons = refused.map(
        ({ line, reason }) => `${partFile(this.#part)}:${lines[line - 1]?.number ?? 0}: ${reason}`,
      )
      throw new CommandError(`The tracker refuses lines:\n${reasons.slice(0, 20).join('\n')}`)
    }
    showProgress(this.#part, lines.at(-1)?.number ?? 0, this.#all)
  }
}
