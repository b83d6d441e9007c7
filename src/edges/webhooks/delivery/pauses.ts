import { perObject, Tally } from '../../../platform/lib/isolate.ts'

/** What the failures of one receiver may take of a batch: a local queue does one batch after the other. */
const MAX_LOST_MS = 1000
/** A pause is so many times as long as what the failures took, so that others lose a tenth of the time. */
const PAUSE_FACTOR = 10
/** A receiver that is repaired is asked after so long at the latest. */
const MAX_PAUSE_MS = 60_000

/** Until when each receiver is left alone, in milliseconds. */
const endsOf = perObject((_: object) => new Tally<string>())

type Failure = { readonly milliseconds: number; readonly attempts: number }

export type WebhookPauses = ReturnType<typeof createPauses>

/**
 * Leaves receivers alone whose failures took a second of a batch: for the rest of the batch, and in this isolate for
 * a while, because whatever else is due waits for the batch.
 */
export function createPauses(env: object) {
  const ends = endsOf(env)
  const lost = new Tally<string>()
  const attemptsOf = new Map<string, number>()

  return {
    /** Somebody waits for a ping, so that earlier batches do not matter to it. */
    isPaused(receiver: string, isPing: boolean): boolean {
      return attemptsOf.has(receiver) || (!isPing && (ends.get(receiver) ?? 0) > Date.now())
    },

    countFailure(receiver: string, { milliseconds, attempts }: Failure): void {
      const sum = (lost.get(receiver) ?? 0) + milliseconds
      lost.set(receiver, sum)
      if (sum >= MAX_LOST_MS) {
        const now = Date.now()
        for (const [name] of [...ends].filter(([, end]) => end <= now)) {
          ends.delete(name)
        }
        ends.set(receiver, now + Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * sum))
        attemptsOf.set(receiver, attempts)
      }
    },

    /** The seconds that are left of a pause, and the number of the attempt of this batch that began it. */
    pauseOf(receiver: string) {
      const left = (ends.get(receiver) ?? 0) - Date.now()
      return {
        seconds: Math.max(0, Math.ceil(left / 1000)),
        attempts: attemptsOf.get(receiver) ?? 0,
      }
    },
  }
}
