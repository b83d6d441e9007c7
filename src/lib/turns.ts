import { waitUntil } from 'cloudflare:workers'

const POLL_MS = 10
/** A request that has ended does not poll any more. */
const MAX_SILENCE_MS = 2_000
/** Longer than any work; after that the next one begins although this one has not ended. */
const MAX_TURN_MS = 20_000

type Ticket<Owner> = { readonly owner: Owner; silentUntil: number }

/** Work of one isolate that runs one piece at a time, in the order of arrival. */
export type Turns<Owner> = {
  /** Those who wait, and the one who has the turn. */
  listOwners(): Owner[]
  /** Runs the work when all that came before has ended, and returns its result. */
  run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result>
}

/** Between two turns nothing of the kind runs for `pauseMs`, in which the isolate serves everybody else. */
export function createTurns<Owner>({ pauseMs }: { pauseMs: number }): Turns<Owner> {
  /** In the order of arrival; the first one has its turn. */
  const tickets: Ticket<Owner>[] = []

  const dropSilentTickets = () => {
    const now = Date.now()
    const alive = tickets.filter(({ silentUntil }) => silentUntil > now)
    tickets.splice(0, tickets.length, ...alive)
  }

  const endTurn = async (ticket: Ticket<Owner>, result: Promise<unknown>) => {
    await result.catch(() => {})
    if (pauseMs > 0) {
      await scheduler.wait(pauseMs)
    }
    const place = tickets.indexOf(ticket)
    if (place >= 0) {
      tickets.splice(place, 1)
    }
  }

  return {
    listOwners() {
      dropSilentTickets()
      return tickets.map(({ owner }) => owner)
    },

    async run(owner, work) {
      dropSilentTickets()
      const ticket = { owner, silentUntil: Date.now() + MAX_SILENCE_MS }
      tickets.push(ticket)
      while (tickets[0] !== ticket) {
        await scheduler.wait(POLL_MS)
        ticket.silentUntil = Date.now() + MAX_SILENCE_MS
        dropSilentTickets()
        // an isolate that was busy for longer than the silence counts as silent
        if (!tickets.includes(ticket)) {
          tickets.push(ticket)
        }
      }
      ticket.silentUntil = Date.now() + MAX_TURN_MS
      const result = work()
      // ends the turn although the client may be gone, whose request ends then
      waitUntil(endTurn(ticket, result))
      return result
    },
  }
}
