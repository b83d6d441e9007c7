/** A part of a capacity that one request holds. */
export class Holding<Share> {
  readonly shares: readonly Share[]
  amount: number
  /** Milliseconds since 1970. */
  countedUntil: number

  constructor(shares: readonly Share[], amount: number, countedUntil: number) {
    this.shares = shares
    this.amount = amount
    this.countedUntil = countedUntil
  }
}

/**
 * What an isolate has too little of for everybody, such as memory, and of which requests hold a part until they give it
 * back. Each part counts in some shares, such as that of its caller and that of all strangers. A request whose client
 * is gone may never report its end, so that a part may count for a limited time.
 */
export class Capacity<Share> {
  readonly #parts = new Set<Holding<Share>>()
  readonly #held = new Map<Share, number>()

  /** Takes a part, which nothing refuses: the caller knows what may be held of its shares. */
  hold(
    shares: readonly Share[],
    amount: number,
    milliseconds = Number.POSITIVE_INFINITY,
  ): Holding<Share> {
    const part = new Holding(shares, amount, Date.now() + milliseconds)
    this.#add(part)
    return part
  }

  /** Changes how much a part is. */
  resize(part: Holding<Share>, amount: number): void {
    this.release(part)
    part.amount = amount
    this.#add(part)
  }

  /** Lets a part count for so long from now on. */
  renew(part: Holding<Share>, milliseconds: number): void {
    part.countedUntil = Date.now() + milliseconds
    if (!this.#parts.has(part)) {
      this.#add(part)
    }
  }

  release(part: Holding<Share>): void {
    if (this.#parts.delete(part)) {
      this.#count(part, -part.amount)
    }
  }

  /** How many parts there are at most: some may not count any longer. */
  get size(): number {
    return this.#parts.size
  }

  /** How much is held of a share. */
  heldOf(share: Share): number {
    const now = Date.now()
    for (const part of this.#parts) {
      if (part.countedUntil < now) {
        this.release(part)
      }
    }
    return this.#held.get(share) ?? 0
  }

  #add(part: Holding<Share>): void {
    this.#parts.add(part)
    this.#count(part, part.amount)
  }

  #count({ shares }: Holding<Share>, more: number): void {
    for (const share of shares) {
      const held = (this.#held.get(share) ?? 0) + more
      if (held === 0) {
        this.#held.delete(share)
      } else {
        this.#held.set(share, held)
      }
    }
  }
}
