/** A worker that says nothing for so long is dead: it renews its leases three times as often. */
export const LEASE_SECONDS = 45
