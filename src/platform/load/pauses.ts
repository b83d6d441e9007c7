/** Lets an isolate serve others between the parts of a long piece of work that waits for nothing by itself. */
export class Pauses {
  readonly #most: number
  #done = 0

  /** Of the sizes of parts, `most` come between two pauses, unless one alone is larger. */
  constructor(most: number) {
    this.#most = most
  }

  /** Waits for all that came meanwhile, once enough is done. */
  async pauseBefore(size: number): Promise<void> {
    if (this.#done > 0 && this.#done + size > this.#most) {
      this.#done = 0
      await scheduler.wait(1)
    }
    this.#done += size
  }
}
