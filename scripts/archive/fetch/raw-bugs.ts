import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import type { SourceBug } from '../source/shapes.ts'

type Place = { readonly start: number; readonly length: number; readonly changed: string }

/** The bytes of an attachment that are there already. */
type KnownFile = { readonly digest: string; readonly size: number }

/** Bugs as the source told them, one line each; of several lines of a bug the last counts. */
export class RawBugs {
  readonly #file: number
  readonly #places = new Map<number, Place>()
  readonly #files = new Map<number, KnownFile>()
  #end = 0

  /** `bytes` of the file are whole lines; what stands behind them was cut off. */
  constructor(path: string, bytes: number) {
    this.#file = openSync(path, 'a+')
    ftruncateSync(this.#file, Math.min(bytes, fstatSync(this.#file).size))
    const piece = Buffer.alloc(1 << 20)
    let rest = Buffer.alloc(0)
    for (let at = 0; ; ) {
      const count = readSync(this.#file, piece, 0, piece.length, at)
      if (count === 0) {
        break
      }
      at += count
      rest = Buffer.concat([rest, piece.subarray(0, count)])
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        this.#learn(JSON.parse(rest.toString('utf8', 0, end)) as SourceBug, end + 1)
        rest = rest.subarray(end + 1)
      }
    }
  }

  get bytes(): number {
    return this.#end
  }

  get size(): number {
    return this.#places.size
  }

  /** When the known state of a bug was the last; undefined for one that is not there. */
  changedAt(id: number): string | undefined {
    return this.#places.get(id)?.changed
  }

  fileOf(attachment: number): KnownFile | undefined {
    return this.#files.get(attachment)
  }

  append(bugs: readonly SourceBug[]): void {
    for (const bug of bugs) {
      const text = Buffer.from(`${JSON.stringify(bug)}\n`)
      writeSync(this.#file, text)
      this.#learn(bug, text.length)
    }
    fsyncSync(this.#file)
  }

  /** Every bug once, in the order of their numbers. */
  async *all(): AsyncGenerator<SourceBug> {
    for (const id of [...this.#places.keys()].sort((a, b) => a - b)) {
      const { start, length } = this.#places.get(id) as Place
      const text = Buffer.alloc(length)
      readSync(this.#file, text, 0, length, start)
      yield JSON.parse(text.toString()) as SourceBug
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  #learn(bug: SourceBug, length: number): void {
    this.#places.set(bug.id, { start: this.#end, length, changed: bug.last_change_time })
    this.#end += length
    for (const { id, digest, size } of bug.attachments) {
      this.#files.set(id, { digest, size })
    }
  }
}
