/**
 * What an isolate keeps from one request to the next is made by what stands here, and by `Turns` and `Capacity` of
 * `load`: a test finds all else. Kept is what saves a round trip or a tenth of a request.
 */

/**
 * Values by text, of which the oldest goes when there are too many, because clients choose some of the texts. The only
 * kind that may hold what the database said, or what belongs to somebody: ARCHITECTURE.md lists each.
 */
export class RecentValues<Value> {
  readonly #values = new Map<string, Value>()
  readonly #maxValues: number

  constructor(maxValues: number) {
    this.#maxValues = maxValues
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#maxValues) {
      const [oldest = ''] = this.#values.keys()
      this.#values.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#values.delete(key)
  }

  getOrMake(key: string, make: () => Value): Value {
    const known = this.get(key)
    if (known !== undefined) {
      return known
    }
    const made = make()
    this.set(key, made)
    return made
  }
}

/** Numbers of the present traffic, such as bytes that are held or times until which something counts. */
export class Tally<Name> extends Map<Name, number> {}

/** Makes a value with its first use. It is the same for everybody, since it depends on no argument. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Makes the value of an object with its first use, and keeps it as long as the object lives. */
export function perObject<Key extends object, Value>(make: (key: Key) => Value) {
  const values = new WeakMap<Key, { readonly value: Value }>()
  return (key: Key): Value => {
    let known = values.get(key)
    if (known === undefined) {
      known = { value: make(key) }
      values.set(key, known)
    }
    return known.value
  }
}
