let count = 0

/** A name that no other test of the run has, so that no test meets the rows of another. */
export function uniqueName(word: string): string {
  count += 1
  return `${word}${count}x${crypto.randomUUID().slice(0, 6)}`
}

/** An address of a network that no other test of the run uses. */
export function uniqueAddress(): string {
  const network = crypto.randomUUID()
  return `2001:db8:${network.slice(0, 4)}:${network.slice(4, 8)}::7`
}

/** When the run began, in seconds. */
export const NOW = Math.floor(Date.now() / 1000)
