/** Something that arrives bit by bit. */
export class Arrival {
  /** How much of it has arrived. */
  amount = 0
  /** Milliseconds since 1970. */
  readonly began = Date.now()
  readonly giveUp: () => void

  constructor(giveUp: () => void) {
    this.giveUp = giveUp
  }
}

/** No rate is reckoned from less time. */
const MIN_ARRIVAL_MS = 1000
/** What everything counts as having brought when it begins, so that it is not the slowest before it can bring some. */
const FIRST_AMOUNT = 4096

/**
 * What arrives in an isolate from many senders at once, each of whom may take as long as they like. Beyond `most`, what
 * has come slowest is given up for what comes next, so that nobody is kept out by those who send next to nothing.
 */
export class Arrivals {
  readonly #most: number
  /** In the order of their beginnings. */
  readonly #arriving = new Set<Arrival>()

  constructor(most: number) {
    this.#most = most
  }

  begin(giveUp: () => void): Arrival {
    if (this.#arriving.size >= this.#most) {
      const slowest = this.#findSlowest()
      if (slowest !== undefined) {
        this.end(slowest)
        slowest.giveUp()
      }
    }
    const arrival = new Arrival(giveUp)
    this.#arriving.add(arrival)
    return arrival
  }

  end(arrival: Arrival): void {
    this.#arriving.delete(arrival)
  }

  /** Of several that are equally slow the first. */
  #findSlowest(): Arrival | undefined {
    const now = Date.now()
    let slowest: Arrival | undefined
    let least = Number.POSITIVE_INFINITY
    for (const arrival of this.#arriving) {
      const rate = (FIRST_AMOUNT + arrival.amount) / Math.max(now - arrival.began, MIN_ARRIVAL_MS)
      if (rate < least) {
        least = rate
        slowest = arrival
      }
    }
    return slowest
  }
}
