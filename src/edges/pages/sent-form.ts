/** The hidden field by which a form that arrives twice is known. */
export const FORM_ID = 'request'

/** What a form sent, which tells the fields that the page had no use for: a page reads those alone that it knows. */
export class SentForm extends FormData {
  readonly #read = new Set<string>()

  constructor(fields: Iterable<readonly [string, string | File]> = []) {
    super()
    for (const [name, value] of fields) {
      if (typeof value === 'string') {
        this.append(name, value)
      } else {
        this.append(name, value, value.name)
      }
    }
  }

  override get(name: string) {
    this.#read.add(name)
    return super.get(name)
  }

  override getAll(name: string) {
    this.#read.add(name)
    return super.getAll(name)
  }

  override has(name: string) {
    this.#read.add(name)
    return super.has(name)
  }

  get unread(): string[] {
    return [...new Set(this.keys())].filter((name) => !this.#read.has(name))
  }
}
