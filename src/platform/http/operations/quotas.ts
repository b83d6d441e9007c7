import type { Context } from 'hono'
import type { Caller } from '../../access/caller.ts'
import { throttled } from '../../access/faults.ts'
import { fault } from '../../faults/fault.ts'
import { Tally } from '../../lib/isolate.ts'
import { errorFacts, log } from '../../lib/log.ts'
import type { Settings } from '../../settings/settings.ts'
import type { AppEnv, QuotaUse } from '../request/app-env.ts'
import { networkOf } from '../request/client-address.ts'
import { WINDOW_SECONDS } from '../response/quota-headers.ts'
import { callerKey } from './caller-key.ts'
import type { Operation } from './operation.ts'

/** Each limit: its setting, and the binding that counts over all isolates of a location. */
const QUOTAS = {
  'anonymous-reads': { setting: 'ANONYMOUS_READS_PER_MINUTE', binding: 'ANONYMOUS_READS' },
  reads: { setting: 'READS_PER_MINUTE', binding: 'READS' },
  writes: { setting: 'WRITES_PER_MINUTE', binding: 'WRITES' },
  logins: { setting: 'LOGINS_PER_MINUTE', binding: 'LOGINS' },
} as const satisfies Record<string, { setting: keyof Settings; binding: keyof Env }>

type QuotaName = keyof typeof QUOTAS

/** Who sends a request, and when; a quota that is named counts by the address. */
type Sending = {
  readonly address: string
  /** Unix seconds. */
  readonly now: number
} & ({ readonly quota: QuotaName } | CallOfOperation)

type CallOfOperation = { readonly caller: Caller; readonly operation: Pick<Operation, 'method'> }

/** Callers that one isolate counts in a window; any others are counted by the platform alone. */
const MAX_COUNTED = 10_000

/** The requests in the present window, by quota and caller, and the number of the window itself. */
const counts = new Tally<string>()
const WINDOW = 'window'

/**
 * Counts a request against the limit of its caller, once, and sets `quota` for the headers of the answer. The isolate
 * counts by itself; the platform counts too, and when it says that the limit is reached, the isolate refuses the next
 * requests of this caller until the window ends. So no request waits for it, and none costs a round trip. Nothing
 * counts strangers and logins of unknown address.
 */
export function chargeQuota(c: Context<AppEnv>, settings: Settings, sending: Sending): void {
  const charge = countOnce(c, settings, sending)
  if (charge !== null) {
    c.executionCtx.waitUntil(askPlatform(c.env, charge))
  }
}

/**
 * Counts a request with a password like `chargeQuota`, but waits for what the platform says: a password takes far
 * longer to check, and many isolates may be asked at once.
 */
export async function chargeLogin(
  c: Context<AppEnv>,
  settings: Settings,
  { address, now }: { address: string; now: number },
): Promise<void> {
  const charge = countOnce(c, settings, { quota: 'logins', address, now })
  if (charge !== null && !(await askPlatform(c.env, charge))) {
    c.set('quota', { ...charge.use, left: -1 })
    throw fault(throttled)
  }
}

type Charge = { readonly name: QuotaName; readonly who: string; readonly use: QuotaUse }

/** Counts a request in this isolate. Null when it counts against nothing, or was counted already. */
function countOnce(c: Context<AppEnv>, settings: Settings, sending: Sending): Charge | null {
  if (c.get('quota') !== undefined) {
    return null
  }
  const name = 'quota' in sending ? sending.quota : quotaOf(sending)
  const limit = settings[QUOTAS[name].setting]
  const who = 'quota' in sending ? networkOf(sending.address) : callerKey(sending)
  if (limit === 0 || who === null) {
    return null
  }
  const use = countRequest(`${name} ${who}`, { name, limit, now: sending.now })
  c.set('quota', use)
  if (use.left < 0) {
    throw fault(throttled)
  }
  return { name, who, use }
}

/** By the method of the operation: other protocols send reads by POST. */
function quotaOf({ caller, operation }: CallOfOperation): QuotaName {
  if (operation.method !== 'GET') {
    return 'writes'
  }
  return caller.kind === 'person' ? 'reads' : 'anonymous-reads'
}

function countRequest(
  key: string,
  { name, limit, now }: { name: QuotaName; limit: number; now: number },
): QuotaUse {
  const current = Math.floor(now / WINDOW_SECONDS)
  if (current !== counts.get(WINDOW)) {
    counts.clear()
    counts.set(WINDOW, current)
  }
  const count = (counts.get(key) ?? 0) + 1
  if (count > 1 || counts.size < MAX_COUNTED) {
    counts.set(key, count)
  }
  return { name, limit, left: limit - count, seconds: WINDOW_SECONDS - (now % WINDOW_SECONDS) }
}

/** Whether the platform's limiter admits the request. A limiter that does not answer admits it. */
async function askPlatform(env: Env, { name, who }: Charge): Promise<boolean> {
  try {
    const asked = counts.get(WINDOW)
    const { success } = await env[QUOTAS[name].binding].limit({ key: who })
    if (!success && asked === counts.get(WINDOW)) {
      counts.set(`${name} ${who}`, Number.POSITIVE_INFINITY)
    }
    return success
  } catch (error) {
    log('warn', 'rate limit not counted', errorFacts(error))
    return true
  }
}
