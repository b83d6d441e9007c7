import { Tally } from '../lib/isolate.ts'
import { Capacity, type Holding } from './capacity.ts'
import { Turns } from './turns.ts'

/** Milliseconds in the database: 64 trips that take no longer keep nobody waiting for half a second. */
const SHORT_MS = 8
/** What all long trips together may take that are under way at once, unless one alone takes longer. */
const AT_ONCE_MS = 50
/** What a row of an answer takes outside of the database, and a character of one until it is sent. */
const [ROW_MS, CHARACTER_MS] = [0.003, 0.000_03]
/** Trips of an address, and of an owner, under way of which nobody knows how long one takes, and how long others wait. */
const [MOST_OF_ADDRESS, MOST_OF_OWNER, MAX_UNKNOWN_MS] = [4, 8, 2_000]
const MAX_KNOWN = 5_000
/** Between two looks of who waits far behind, and after which nobody waits any more, whose client is gone. */
const [MAX_POLL_MS, MAX_SILENCE_MS] = [200, 2_000]
/** Enough for others to reach the database between two long trips. */
const PAUSE_MS = 5

/** What asks for round trips: requests for the same address take about as long. */
export type TripSource = { readonly address: string; readonly owner: string }

/** What each took the last time, in milliseconds, by the hash of its address: a text of clients is not kept. */
const lastCosts = new Tally<number>()
/** Trips of which nobody knows yet how long they take. */
const unknownTrips = new Capacity<number | string>()
const turns = new Turns<string>(PAUSE_MS, AT_ONCE_MS)

/**
 * Sends a round trip, the `n`th of its request, which has so many statements: a caller whose identity is cached sends in
 * the first trip what others send in the second. The database runs one after the other whatever it is sent, so that a
 * trip which took long the last time waits until few others of this kind are under way: in rounds, one of each owner. A
 * trip that was short, of which there are most, waits for nothing; one that nobody has measured, for those before it, of
 * its owner too: who asks for something else each time has no more of them at once.
 */
export async function takeTripTurn(
  { address, owner }: TripSource,
  { n, statements }: { readonly n: number; readonly statements: number },
  send: () => Promise<D1Result<unknown>[]>,
): Promise<D1Result<unknown>[]> {
  const trip = hashText(`${n} ${statements} ${address}`)
  const cost = lastCosts.get(trip)
  if (cost === undefined) {
    const part = await waitForPlace(trip, owner)
    return part === null
      ? takeTripTurn({ address, owner }, { n, statements }, send)
      : sendUnknown(part, trip, send)
  }
  const measure = async () => {
    const results = await send()
    // a busy computer makes any trip long now and then, and what grows does so slowly
    keepCost(trip, Math.min(estimateCost(results), 1 + 1.25 * cost))
    return results
  }
  return cost <= SHORT_MS ? measure() : turns.run(owner, measure, { weight: cost })
}

async function sendUnknown(
  part: Holding<number | string>,
  trip: number,
  send: () => Promise<D1Result<unknown>[]>,
): Promise<D1Result<unknown>[]> {
  try {
    const results = await send()
    keepCost(trip, estimateCost(results))
    return results
  } finally {
    unknownTrips.release(part)
  }
}

/** Holds a place for a trip that nobody knows, in the order of its owner's trips; null once somebody has measured it. */
async function waitForPlace(trip: number, owner: string): Promise<Holding<number | string> | null> {
  const place: Place = { owner }
  for (;;) {
    const ahead = countAhead(place)
    const isKnown = lastCosts.has(trip)
    const isFree =
      unknownTrips.heldOf(trip) < MOST_OF_ADDRESS &&
      unknownTrips.heldOf(owner) + ahead < MOST_OF_OWNER
    if (isKnown || isFree) {
      waiting.delete(place)
      return isKnown ? null : unknownTrips.hold([trip, owner], 1, MAX_UNKNOWN_MS)
    }
    await scheduler.wait(Math.min(1 + ahead / 4, MAX_POLL_MS))
  }
}

type Place = { readonly owner: string }

/** Who waits, in the order in which they came, and from when on each counts no longer, because it has not looked. */
const waiting = new Tally<Place>()

/** How many of the same owner wait for longer. */
function countAhead(place: Place): number {
  const now = Date.now()
  waiting.set(place, now + MAX_SILENCE_MS)
  let ahead = 0
  for (const [other, silentFrom] of waiting) {
    if (other === place) {
      break
    }
    if (silentFrom <= now) {
      waiting.delete(other)
    } else if (other.owner === place.owner) {
      ahead += 1
    }
  }
  return ahead
}

function keepCost(trip: number, cost: number): void {
  lastCosts.delete(trip)
  lastCosts.set(trip, cost)
  if (lastCosts.size > MAX_KNOWN) {
    const [oldest = trip] = lastCosts.keys()
    lastCosts.delete(oldest)
  }
}

/** FNV-1a; of two addresses with one hash, one may wait for nothing. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash
}

/** By what D1 reports, because the time that a trip takes from here grows with all that others do. */
function estimateCost(results: readonly D1Result<unknown>[]): number {
  let cost = 0
  for (const { meta, results: rows } of results) {
    cost += meta.duration + rows.length * (ROW_MS + lengthOf(rows[0]) * CHARACTER_MS)
  }
  return cost
}

/** Characters of a row: of a list as JSON there is one. */
function lengthOf(row: unknown): number {
  let length = 0
  for (const value of Object.values(row ?? {})) {
    length += typeof value === 'string' ? value.length : 0
  }
  return length
}
