import { waitUntil } from 'cloudflare:workers'

/** No turn is shorter than this and the pause behind it. */
const MIN_TURN_MS = 1
/** The longest pause between two polls of a ticket: a promise of another request would not keep its own alive. */
const MAX_POLL_MS = 1_000
/** A request that has ended does not look any more. */
const MAX_SILENCE_MS = 2_000
/** Longer than any work; after that the next one begins although this one has not ended. */
const MAX_TURN_MS = 20_000

type Ticket<Owner> = {
  readonly owner: Owner
  readonly weight: number
  readonly round: number
  silentUntil: number
}

/**
 * Work of one isolate that runs one piece at a time, or a few: in rounds with one piece of each owner, and within a
 * round in the order of arrival. Whoever sends much keeps nobody else waiting for more than a piece in each round.
 */
export class Turns<Owner> {
  /** In the order of their turns, which the first ones have. */
  readonly #tickets: Ticket<Owner>[] = []
  readonly #pauseMs: number
  readonly #atOnce: number
  /** Of the turn that began last. */
  #round = 0

  /**
   * Behind each turn its place stays empty for `pauseMs`, in which the isolate serves everybody else. What runs at once
   * weighs `atOnce` together, or is one piece.
   */
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
    return this.#weigh(this.#tickets) < this.#atOnce
  }

  /** Runs the work in its turn, and returns its result. Behind long work the pause may be longer. */
  async run<Result>(
    owner: Owner,
    work: () => Promise<Result>,
    { weight = 1, pauseMs = this.#pauseMs }: { weight?: number; pauseMs?: number } = {},
  ): Promise<Result> {
    this.#dropSilentTickets()
    let ticket = this.#enqueue(owner, weight)
    for (let ahead = this.#weighAhead(ticket); ahead > 0; ahead = this.#weighAhead(ticket)) {
      const pollMs = this.#pollTime(ahead)
      // it is not silent before it is late, or a busy isolate would send it to the end
      ticket.silentUntil += pollMs
      // a promise that another request resolves would not keep this one alive
      await scheduler.wait(pollMs)
      ticket.silentUntil = Date.now() + MAX_SILENCE_MS
      this.#dropSilentTickets()
      // an isolate that was busy for longer than the silence counts as silent
      if (!this.#tickets.includes(ticket)) {
        ticket = this.#enqueue(owner, weight)
      }
    }
    this.#round = Math.max(this.#round, ticket.round)
    ticket.silentUntil = Date.now() + MAX_TURN_MS
    // work that fails before its first step ends its turn as well
    const result = (async () => work())()
    // ends the turn although the client may be gone, whose request ends then
    waitUntil(this.#endTurn(ticket, result, pauseMs))
    return result
  }

  #enqueue(owner: Owner, weight: number): Ticket<Owner> {
    const last = this.#tickets.findLast((ticket) => ticket.owner === owner)
    const round = Math.max(this.#round, (last?.round ?? -1) + 1)
    const ticket = { owner, weight, round, silentUntil: Date.now() + MAX_SILENCE_MS }
    const place = this.#tickets.findLastIndex((other) => other.round <= round) + 1
    this.#tickets.splice(place, 0, ticket)
    return ticket
  }

  async #endTurn(ticket: Ticket<Owner>, result: Promise<unknown>, pauseMs: number): Promise<void> {
    await result.catch(() => {})
    if (pauseMs > 0) {
      await scheduler.wait(pauseMs)
    }
    const place = this.#tickets.indexOf(ticket)
    if (place >= 0) {
      this.#tickets.splice(place, 1)
    }
  }

  /** The weight of what has to end before this one begins, at most; 0 or less when nothing has to. */
  #weighAhead(ticket: Ticket<Owner>): number {
    const ahead = this.#tickets.slice(0, this.#tickets.indexOf(ticket))
    return ahead.length === 0 ? 0 : this.#weigh(ahead) + ticket.weight - this.#atOnce
  }

  #weigh(tickets: readonly Ticket<Owner>[]): number {
    return tickets.reduce((sum, { weight }) => sum + weight, 0)
  }

  /** At most the time in which so many turns may end, so that the looks of many cost as little as those of few. */
  #pollTime(ahead: number): number {
    const least = ((MIN_TURN_MS + this.#pauseMs) * ahead) / this.#atOnce
    return Math.min(Math.max(least, 1), MAX_POLL_MS)
  }

  #dropSilentTickets(): void {
    const now = Date.now()
    const alive = this.#tickets.filter(({ silentUntil }) => silentUntil > now)
    if (alive.length < this.#tickets.length) {
      this.#tickets.splice(0, this.#tickets.length, ...alive)
    }
  }
}
