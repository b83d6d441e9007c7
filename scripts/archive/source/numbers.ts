import { fold } from '../../../src/platform/lib/text.ts'
import type { Mapping } from './mapping.ts'

/**
 * Numbers by name, one kind of things after the other. A number of the source is kept where it is free; what has none
 * gets one behind all others, and keeps it in later archives of the same source.
 */
export class Numbers {
  readonly #kept: Mapping['numbers']
  readonly #byName = new Map<string, Map<string, number>>()
  readonly #taken = new Map<string, Set<number>>()

  constructor(kept: Mapping['numbers']) {
    this.#kept = kept
  }

  /** The number of a thing; `wanted` is that of the source. */
  of(kind: string, name: string, wanted?: number | null): number {
    const key = fold(name)
    const byName = this.#byName.get(kind) ?? new Map<string, number>()
    this.#byName.set(kind, byName)
    const known = byName.get(key)
    if (known !== undefined) {
      return known
    }
    const taken = this.#taken.get(kind) ?? new Set(Object.values(this.#kept[kind] ?? {}))
    this.#taken.set(kind, taken)
    const kept = this.#kept[kind]?.[key]
    const isFree = typeof wanted === 'number' && wanted > 0 && !taken.has(wanted)
    const number = kept ?? (isFree ? wanted : this.#next(taken))
    taken.add(number)
    byName.set(key, number)
    return number
  }

  /** Whether the thing has a number. */
  has(kind: string, name: string): boolean {
    return this.#byName.get(kind)?.has(fold(name)) ?? false
  }

  toJSON(): Mapping['numbers'] {
    return Object.fromEntries(
      [...this.#byName].map(([kind, byName]) => [
        kind,
        { ...this.#kept[kind], ...Object.fromEntries(byName) },
      ]),
    )
  }

  #next(taken: ReadonlySet<number>): number {
    let next = this.#highest.get(taken) ?? 0
    if (next === 0) {
      for (const number of taken) {
        next = Math.max(next, number)
      }
    }
    do {
      next += 1
    } while (taken.has(next))
    this.#highest.set(taken, next)
    return next
  }

  readonly #highest = new WeakMap<object, number>()
}
