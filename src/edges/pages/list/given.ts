import { linkToList } from './query.ts'

/** What an address has, of which the form takes what it has fields for. */
export class Given {
  readonly #left: Map<string, readonly string[]>

  constructor({ searchParams }: URL) {
    const clean = new URL(linkToList(new URL(`http://list/?${searchParams}`)), 'http://list')
    const all = [...clean.searchParams].filter(([, value]) => value.trim() !== '')
    this.#left = new Map(
      [...Map.groupBy(all, ([name]) => name)].map(([name, rows]) => [
        name,
        rows.map(([, value]) => value),
      ]),
    )
  }

  /** The values of a parameter, which the form then has a field for. */
  take(name: string): readonly string[] {
    const names = [name, ...(SAME[name] ?? [])]
    const values = names.flatMap((one) => this.#left.get(one) ?? [])
    for (const one of names) {
      this.#left.delete(one)
    }
    return values
  }

  /** The numbers in parameters such as `f1`. */
  numbersOf(letter: string): number[] {
    return [...this.#left.keys()]
      .flatMap((name) => new RegExp(`^${letter}(\\d{1,9})$`).exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b)
  }

  /** What the form has no field for. */
  get left(): ReadonlyMap<string, readonly string[]> {
    return this.#left
  }
}

/** Other names of parameters that mean the same. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  bug_status: ['status'],
  bug_type: ['type'],
  bug_severity: ['severity'],
  rep_platform: ['platform'],
}
