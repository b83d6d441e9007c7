let count = 0

/** A name that no other test of the run has, so that no test meets the rows of another. */
export function uniqueName(word: string): string {
  count += 1
  return `${word}${count}x${crypto.randomUUID().slice(0, 6)}`
}

/** When the run began, in seconds. */
export const NOW = Math.floor(Date.now() / 1000)
