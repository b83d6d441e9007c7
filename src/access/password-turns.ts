import { waitUntil } from 'cloudflare:workers'
import { fault } from '../faults.ts'

/** Verifications of passwords that wait in one isolate: of one address, and of all. */
const MAX_PER_ADDRESS = 8
const MAX_WAITING = 16

const POLL_MS = 10
/** Between two verifications, in which the isolate serves everybody else. */
const PAUSE_MS = 50
/** A request that has ended does not poll any more. */
const MAX_SILENCE_MS = 2_000
/** Longer than any verification; after that the next one begins although this one has not ended. */
const MAX_TURN_MS = 20_000

type Ticket = { readonly address: string; silentUntil: number }

/** In the order of arrival; the first one has its turn. */
const tickets: Ticket[] = []

/**
 * Runs the verification of a password when all earlier ones of this isolate have ended: each takes the
 * processor for a sixth of a second, in which nothing else is served, and each has to see the failures of
 * those before it. Fault 32000 with 429 when many of the address wait, with 503 when many of all do.
 * Reference: authentication.md, "Lockout".
 */
export async function runInPasswordTurn<Result>(
  address: string,
  verify: () => Promise<Result>,
): Promise<Result> {
  dropSilentTickets()
  if (tickets.filter((one) => one.address === address).length >= MAX_PER_ADDRESS) {
    throw fault('passwordsThrottled')
  }
  if (tickets.length >= MAX_WAITING) {
    throw fault('passwordsBusy')
  }
  const ticket = { address, silentUntil: Date.now() + MAX_SILENCE_MS }
  tickets.push(ticket)
  while (tickets[0] !== ticket) {
    await scheduler.wait(POLL_MS)
    ticket.silentUntil = Date.now() + MAX_SILENCE_MS
    dropSilentTickets()
    if (!tickets.includes(ticket)) {
      throw fault('passwordsBusy')
    }
  }
  ticket.silentUntil = Date.now() + MAX_TURN_MS
  const result = verify()
  // ends the turn although the client may be gone, whose request ends then
  waitUntil(endTurn(ticket, result))
  return result
}

async function endTurn(ticket: Ticket, result: Promise<unknown>): Promise<void> {
  await result.catch(() => {})
  await scheduler.wait(PAUSE_MS)
  const place = tickets.indexOf(ticket)
  if (place >= 0) {
    tickets.splice(place, 1)
  }
}

function dropSilentTickets(): void {
  const now = Date.now()
  const alive = tickets.filter(({ silentUntil }) => silentUntil > now)
  tickets.splice(0, tickets.length, ...alive)
}
