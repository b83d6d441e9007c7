/** Texts that stand in the JSON of an answer for what is written while it is sent. */
export class Placeholders {
  /** Random, so that no text in the answer can contain a placeholder. */
  readonly #marker = crypto.randomUUID()

  /** The placeholder of a name, which has letters, digits and colons. */
  write(name: string): string {
    return `${this.#marker}:${name}`
  }

  /** The texts between placeholders, each with the name of the placeholder behind it; null behind the last. */
  *split(json: string): Generator<{ readonly text: string; readonly name: string | null }> {
    let end = 0
    const pattern = new RegExp(`"${this.#marker}:([\\w:]+)"`, 'g')
    for (const { 0: placeholder, 1: name = '', index } of json.matchAll(pattern)) {
      yield { text: json.slice(end, index), name }
      end = index + placeholder.length
    }
    yield { text: json.slice(end), name: null }
  }
}
