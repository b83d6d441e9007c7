import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import type { ResponsePlaceholders } from '../../platform/lib/stream.ts'
import { countSender, limitChunk, readLarge } from '../../platform/load/readers.ts'
import { type LateRow, selectLongValues } from './select.ts'

type Values = { readonly removed: string; readonly added: string }
type PresentValue = (value: string) => string

/**
 * Placeholders in the JSON of histories for long values, which people may write so many of that no isolate holds them.
 * They are filled while the response is sent, one round trip for as many as fit into a read. Values of a bug that was
 * hidden meanwhile are empty.
 */
export class LateValues implements ResponsePlaceholders {
  readonly #ctx: Ctx
  /** Random, so that no text in the answer can contain a placeholder. */
  readonly #marker = crypto.randomUUID()
  readonly #rows: (LateRow & { readonly present: PresentValue })[] = []
  readonly #read = new Map<number, Values>()

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** The bytes of all values. */
  get bytes(): number {
    return this.#rows.reduce((sum, { size }) => sum + size, 0)
  }

  /** The bytes of the values in a part of the JSON. */
  sumBytes(json: string): number {
    const places = [...json.matchAll(this.#places())]
    // both values of a row stand beside each other, and `size` has them together
    return places.reduce((sum, { 1: place }) => sum + (this.#rows[Number(place)]?.size ?? 0) / 2, 0)
  }

  /** The placeholders of both values. */
  add({ id, bugId, size }: LateRow, present: PresentValue): Values {
    const place = this.#rows.push({ id, bugId, size, present }) - 1
    const name = (side: keyof Values) => `${this.#marker}:${place}:${side}`
    return { removed: name('removed'), added: name('added') }
  }

  /** A part of the JSON with its placeholders filled, in pieces. */
  fillPlaceholders(json: string): AsyncGenerator<string> {
    const pieces = this.#fillPlaceholders(json)
    return this.isEmpty ? pieces : countSender(pieces)
  }

  async *#fillPlaceholders(json: string): AsyncGenerator<string> {
    let end = 0
    for (const { 0: placeholder, 1: place, 2: side, index } of json.matchAll(this.#places())) {
      const value = await this.#valueOf(Number(place), side as keyof Values)
      yield `${json.slice(end, index)}${JSON.stringify(value)}`
      end = index + placeholder.length
    }
    yield json.slice(end)
  }

  #places(): RegExp {
    return new RegExp(`"${this.#marker}:(\\d+):(removed|added)"`, 'g')
  }

  async #valueOf(place: number, side: keyof Values): Promise<string> {
    const row = this.#rows[place]
    if (row === undefined) {
      throw new Error('There are more placeholders than rows')
    }
    if (!this.#read.has(row.id)) {
      await this.#readFrom(place)
    }
    const value = this.#read.get(row.id)?.[side]
    return value === undefined ? '' : row.present(value)
  }

  /** Reads the values of this row and of those behind it, which take the place of those that were read before. */
  async #readFrom(place: number): Promise<void> {
    const { rows } = await readLarge(turnOwner(this.#ctx), () => {
      let left = limitChunk().bytes
      const next = this.#rows.slice(place, place + MAX_ROWS).filter(({ size }, n) => {
        left -= size
        return n === 0 || left >= 0
      })
      return readBatch(this.#ctx, { rows: selectLongValues(this.#ctx, next) })
    })
    this.#read.clear()
    for (const { id, removed, added } of rows) {
      this.#read.set(id, { removed, added })
    }
  }
}

/** Rows of one read. */
const MAX_ROWS = 1000
