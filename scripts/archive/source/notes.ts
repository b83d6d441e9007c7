/** Subjects that a note lists. */
const MAX_LISTED = 10

/** What could not be brought as it was: each reason once, with what it is about, such as `bug 5`. */
export class Notes {
  readonly #subjects = new Map<string, Set<string>>()

  constructor(kept: readonly (readonly [reason: string, subjects: readonly string[]])[] = []) {
    for (const [reason, subjects] of kept) {
      this.#subjects.set(reason, new Set(subjects))
    }
  }

  add(reason: string, subject?: string): void {
    const subjects = this.#subjects.get(reason) ?? new Set()
    if (subject !== undefined) {
      subjects.add(subject)
    }
    this.#subjects.set(reason, subjects)
  }

  /** For a state that is written down. */
  toJSON(): [string, string[]][] {
    return [...this.#subjects].map(([reason, subjects]) => [reason, [...subjects]])
  }

  /** A line for each reason. */
  list(): string[] {
    return [...this.#subjects]
      .map(([reason, all]) => {
        const listed = [...all].slice(0, MAX_LISTED).join(', ')
        const more = all.size > MAX_LISTED ? ` and ${all.size - MAX_LISTED} more` : ''
        return all.size === 0 ? reason : `${reason}: ${listed}${more}`
      })
      .sort()
  }
}
