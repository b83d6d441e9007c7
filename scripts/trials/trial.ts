/** One promise of the local server that is tried with real processes. */
export type Trial = {
  /** A sentence. */
  title: string
  /** Uses an empty folder. Throws when the promise is broken. */
  run(folder: string): Promise<void>
}
