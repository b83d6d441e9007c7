import type { Random } from '../../../../scripts/generator/random.ts'

/** A Wednesday, at which all searches of drawn worlds are made. */
export const NOW = Date.UTC(2025, 5, 18, 12, 34, 56) / 1000
export const DAY = 86_400
export const SITE = 'https://tracker.test'

/** Words that are awkward to search for, and parts of each other. */
const PLAIN = ['crash', 'crashes', 'leave-open', 'Größe', 'ÄRGER', 'über', '50%', 'a_b', "it's"]
const ODD = ['"quoted"', 'C:\\dir', '🐙', 'naïve', 'x*y', '[triage]', 'perf,crash', 'Straße', '12']
const WORDS = [...PLAIN, ...ODD, 'leak', 'SOCKET', 'toolbar', '2025-06', '?', 'b']
/** Texts that are others in compatibility form, for fields that are kept folded. */
export const COMPATIBLE = ['ＡＢＣ', 'ﬁle']

/** One to four words. */
export function drawText(r: Random, extra: readonly string[] = []): string {
  const words = Array.from({ length: 1 + r.below(4) }, () => r.pick([...WORDS, ...extra]))
  return words.join(' ')
}

/** A moment of the last months, to the second. */
export function drawTime(r: Random): number {
  return r.chance(0.2) ? NOW - r.below(3 * DAY) : NOW - r.below(120 * DAY)
}

export function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
