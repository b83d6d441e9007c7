import { waitUntil } from 'cloudflare:workers'

/** A promise that another request resolves would not keep this one alive. */
const MAX_POLL_MS = 10
/** A request that has ended does not poll any more. */
const MAX_SILENCE_MS = 2_000
/** Longer than any work; after that the next one begins although this one has not ended. */
const MAX_TURN_MS = 20_000

type Ticket<Owner> = { readonly owner: Owner; silentUntil: number }

/** Work of one isolate that runs one piece at a time, or a few, in the order of arrival. */
export class Turns<Owner> {
  /** In the order of arrival; the first ones have their turns. */
  readonly #tickets: Ticket<Owner>[] = []
  readonly #pauseMs: number
  readonly #atOnce: number

  /** Behind each turn its place stays empty for `pauseMs`, in which the isolate serves everybody else. */
  constructor(pauseMs: number, atOnce = 1) {
    this.#pauseMs = pauseMs
    this.#atOnce = atOnce
  }

  /** Those who wait, and those who have a turn. */
  listOwners(): Owner[] {
    this.#dropSilentTickets()
    return this.#tickets.map(({ owner }) => owner)
  }

  /** Whether work that came now would begin at once. */
  get isFree(): boolean {
    this.#dropSilentTickets()
    return this.#tickets.length < this.#atOnce
  }

  /** Runs the work when all that came before has ended, and returns its result. */
  async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    this.#dropSilentTickets()
    const ticket = { owner, silentUntil: Date.now() + MAX_SILENCE_MS }
    this.#tickets.push(ticket)
    while (this.#placeOf(ticket) >= this.#atOnce) {
      await scheduler.wait(Math.min(this.#placeOf(ticket) - this.#atOnce + 1, MAX_POLL_MS))
      ticket.silentUntil = Date.now() + MAX_SILENCE_MS
      this.#dropSilentTickets()
      // an isolate that was busy for longer than the silence counts as silent
      if (this.#placeOf(ticket) < 0) {
        this.#tickets.push(ticket)
      }
    }
    ticket.silentUntil = Date.now() + MAX_TURN_MS
    const result = work()
    // ends the turn although the client may be gone, whose request ends then
    waitUntil(this.#endTurn(ticket, result))
    return result
  }

  async #endTurn(ticket: Ticket<Owner>, result: Promise<unknown>): Promise<void> {
    await result.catch(() => {})
    if (this.#pauseMs > 0) {
      await scheduler.wait(this.#pauseMs)
    }
    const place = this.#placeOf(ticket)
    if (place >= 0) {
      this.#tickets.splice(place, 1)
    }
  }

  #placeOf(ticket: Ticket<Owner>): number {
    return this.#tickets.indexOf(ticket)
  }

  #dropSilentTickets(): void {
    const now = Date.now()
    const alive = this.#tickets.filter(({ silentUntil }) => silentUntil > now)
    this.#tickets.splice(0, this.#tickets.length, ...alive)
  }
}
