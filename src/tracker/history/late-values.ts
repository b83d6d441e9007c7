import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import { Placeholders } from '../../platform/lib/placeholders.ts'
import type { ResponsePlaceholders } from '../../platform/lib/stream.ts'
import { limitChunk, readLarge } from '../../platform/load/readers.ts'
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
  readonly #placeholders = new Placeholders()
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
    const names = [...this.#placeholders.split(json)].flatMap(({ name }) => name ?? [])
    // both values of a row stand beside each other, and `size` has them together
    return names.reduce((sum, name) => sum + (this.#rows[placeOf(name)]?.size ?? 0) / 2, 0)
  }

  /** The placeholders of both values. */
  add({ id, bugId, size }: LateRow, present: PresentValue): Values {
    const place = this.#rows.push({ id, bugId, size, present }) - 1
    const write = (side: keyof Values) => this.#placeholders.write(`${place}:${side}`)
    return { removed: write('removed'), added: write('added') }
  }

  /** A part of the JSON with its placeholders filled, in pieces. */
  async *fillPlaceholders(json: string): AsyncGenerator<string> {
    for (const { text, name } of this.#placeholders.split(json)) {
      yield name === null ? text : `${text}${JSON.stringify(await this.#valueOf(name))}`
    }
  }

  async #valueOf(name: string): Promise<string> {
    const place = placeOf(name)
    const row = this.#rows[place]
    if (row === undefined) {
      throw new Error('There are more placeholders than rows')
    }
    if (!this.#read.has(row.id)) {
      await this.#readFrom(place)
    }
    const value = this.#read.get(row.id)?.[name.endsWith('added') ? 'added' : 'removed']
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

function placeOf(name: string): number {
  return Number.parseInt(name, 10)
}

/** Rows of one read. */
const MAX_ROWS = 1000
