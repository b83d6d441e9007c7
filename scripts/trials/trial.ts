/** One promise of the local server that is tried with real processes. */
export type Trial = {
  /** A sentence. */
  title: string
  /** It takes many starts, so that the tests leave it to `scripts/trials.ts`. */
  isLong?: true
  /** Uses an empty folder. Throws when the promise is broken. */
  run(folder: string): Promise<void>
}
