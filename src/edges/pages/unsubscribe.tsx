import { HTTPException } from 'hono/http-exception'
import { readSubscription, type Subscription } from '../../tracker/notices/unsubscription.ts'
import { endsWatching, unsubscribe } from '../../tracker/preferences/unsubscribe.ts'
import { Layout } from './layout.tsx'
import type { PageHandler, PageRequest } from './page.ts'

/** Asks before anything stops, because programs that look at links follow them too. */
export const showUnsubscribe: PageHandler = async (request) => {
  const subscription = requireSubscription(request)
  return (
    <Layout request={request} title="Unsubscribe" isUnlisted>
      <h1>{nameEffect(subscription)}?</h1>
      <p>You will get no more mail of this kind. You can undo this in your preferences.</p>
      <form method="post">
        <button type="submit">{nameEffect(subscription)}</button>
      </form>
      <Preferences />
    </Layout>
  )
}

/** What a mail program or the form above sends: it is done at once, in the manner of RFC 8058. */
export const sendUnsubscribe: PageHandler = async (request) => {
  await unsubscribe(request.ctx, requireSubscription(request))
  return (
    <Layout request={request} title="Unsubscribed" isUnlisted>
      <h1>Done</h1>
      <p>You will get no more mail of this kind. You can undo this in your preferences.</p>
      <Preferences />
    </Layout>
  )
}

function requireSubscription({ url, ctx }: PageRequest): Subscription {
  const token = url.searchParams.get('token') ?? ''
  const subscription = readSubscription(token, ctx.env.SECRETS_KEY)
  if (subscription === null) {
    throw new HTTPException(404)
  }
  return subscription
}

function nameEffect(subscription: Subscription): string {
  return endsWatching(subscription) ? 'Stop watching' : `Stop mail about bug ${subscription.bugId}`
}

function Preferences() {
  return (
    <p>
      <a href="/account?tab=mail">Choose which mail you get</a>
    </p>
  )
}
