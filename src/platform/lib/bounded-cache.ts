/**
 * Values by text, made when they are first asked for. It begins anew instead of growing over `maxEntries`,
 * because clients choose some of the texts.
 */
export class BoundedCache<Value> {
  readonly #values = new Map<string, Value>()
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  /** The value of a text, the same one each time; `make` is called when there is none. */
  getOrMake(key: string, make: () => Value): Value {
    const known = this.#values.get(key)
    if (known !== undefined) {
      return known
    }
    const made = make()
    if (this.#values.size >= this.#maxEntries) {
      this.#values.clear()
    }
    this.#values.set(key, made)
    return made
  }
}
