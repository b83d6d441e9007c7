import { makeOpaqueToken, readOpaqueToken } from '../../platform/lib/crypto/opaque-token.ts'

/** What the link of a mail stops: mail about a bug, or the watching without which there were none. */
export type Subscription = {
  readonly personId: number
  readonly bugId: number
  /** People whom the reader watches no more. */
  readonly watchedIds: readonly number[]
  /** Whether the reader watches the component and the product of the bug no more. */
  readonly isOfPlace: boolean
}

const PLACE = 'p'
const TEXT = /^(\d+)\.(\d+)((?:\.\d+)*)(\.p)?$/

/** The address that stops it; nobody can make one for another person or bug, or read one. */
export function buildUnsubscribeUrl(
  { env, baseUrl }: { readonly env: Pick<Env, 'SECRETS_KEY'>; readonly baseUrl: string },
  { personId, bugId, watchedIds, isOfPlace }: Subscription,
): string {
  const parts = [personId, bugId, ...watchedIds, ...(isOfPlace ? [PLACE] : [])]
  return `${baseUrl}/unsubscribe?token=${makeOpaqueToken(parts.join('.'), env.SECRETS_KEY, 'unsubscription')}`
}

/** What the token of such an address stops; null for a token that this service did not make. */
export function readSubscription(token: string, secret: string): Subscription | null {
  const text = readOpaqueToken(token, secret, 'unsubscription')
  const [, personId, bugId, watched = '', place] = TEXT.exec(text ?? '') ?? []
  return personId === undefined
    ? null
    : {
        personId: Number(personId),
        bugId: Number(bugId),
        watchedIds: watched.split('.').filter(Boolean).map(Number),
        isOfPlace: place !== undefined,
      }
}
