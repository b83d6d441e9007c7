import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { findPart, PARTS } from '../../../src/edges/archive/parts.ts'
import { describeFile } from '../folder.ts'
import { FORMAT, MANIFEST, type Manifest, partFile, VERSION } from '../manifest.ts'

export type Line = { readonly id: number } & Readonly<Record<string, unknown>>

type Described = Pick<Manifest, 'source' | 'moment' | 'since'>

/** Bytes that are written at once. */
const PIECE = 1_000_000

/**
 * Writes an archive: lines of its parts in any order, of which the last of a number counts. The manifest comes last, so
 * that a folder with one is whole. Bytes of attachments are in `files` already.
 */
export class ArchiveWriter {
  readonly #folder: string
  readonly #parts = new Map<string, PartWriter>()
  readonly #digests = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(join(folder, 'files'), { recursive: true })
  }

  add(part: string, line: Line): void {
    let writer = this.#parts.get(part)
    if (writer === undefined) {
      if (findPart(part) === undefined) {
        throw new Error(`An archive has no part ${part}`)
      }
      writer = new PartWriter(join(this.#folder, partFile(part)))
      this.#parts.set(part, writer)
    }
    writer.add(line)
    if (part === 'attachments') {
      this.#digests.add(String(line.digest))
    }
  }

  async finish(described: Described): Promise<Manifest> {
    const parts: Manifest['parts'] = {}
    for (const { name } of PARTS) {
      const writer = this.#parts.get(name)
      if (writer !== undefined) {
        writer.finish()
        parts[name] = await describeFile(join(this.#folder, partFile(name)))
      }
    }
    const digests = [...this.#digests].sort()
    const isThere = (digest: string) => existsSync(join(this.#folder, 'files', digest))
    const manifest: Manifest = {
      ...{ format: FORMAT, version: VERSION, ...described, made: new Date().toISOString() },
      ...{ credentials: false, parts },
      files: Object.fromEntries(
        digests.filter(isThere).map((digest) => {
          const { size } = statSync(join(this.#folder, 'files', digest))
          return [digest, { size }]
        }),
      ),
      missing: digests.filter((digest) => !isThere(digest)),
    }
    writeFileSync(join(this.#folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`)
    return manifest
  }
}

/** The lines of one part. They wait in a file, and memory has their numbers and places alone. */
class PartWriter {
  readonly #path: string
  readonly #unsorted: string
  readonly #file: number
  readonly #places = new Map<number, readonly [start: number, length: number]>()
  #pieces: Buffer[] = []
  #waiting = 0
  #end = 0

  constructor(path: string) {
    this.#path = path
    this.#unsorted = `${path}.unsorted`
    this.#file = openSync(this.#unsorted, 'w+')
  }

  add(line: Line): void {
    const text = Buffer.from(`${JSON.stringify(line)}\n`)
    this.#places.set(line.id, [this.#end, text.length])
    this.#end += text.length
    this.#pieces.push(text)
    this.#waiting += text.length
    if (this.#waiting > PIECE) {
      this.#flush()
    }
  }

  finish(): void {
    this.#flush()
    const sorted = openSync(this.#path, 'w')
    for (const id of [...this.#places.keys()].sort((a, b) => a - b)) {
      const [start, length] = this.#places.get(id) ?? [0, 0]
      const text = Buffer.alloc(length)
      readSync(this.#file, text, 0, length, start)
      writeSync(sorted, text)
    }
    closeSync(sorted)
    closeSync(this.#file)
    rmSync(this.#unsorted)
  }

  #flush(): void {
    writeSync(this.#file, Buffer.concat(this.#pieces))
    this.#pieces = []
    this.#waiting = 0
  }
}
