import type { Context } from 'hono'
import { bugNotVisible, loginRequired } from '../../platform/access/faults.ts'
import type { Fault } from '../../platform/faults/fault.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { publicAddress } from '../../platform/http/request/base-url.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { Layout } from './layout.tsx'
import { labelOf } from './parts/labels.ts'

type Refusal = {
  readonly status: number
  readonly fault: Fault | null
  /** Whether the session of the reader has ended. */
  readonly hasEnded: boolean
  /** What the form had that was refused with the session. */
  readonly typed: readonly (readonly [name: string, text: string])[]
}

/** What a page answers in the place of what it cannot show: what is wrong, and what to do. */
export function errorPage(c: Context<AppEnv>, refusal: Refusal) {
  const url = new URL(publicAddress(readSettings(c.env), c.req.url))
  const signIn = `/login?return=${encodeURIComponent(url.pathname + url.search)}`
  const isSignedOut = c.get('credentials')?.session === undefined
  const { title, advice } = explain(refusal, isSignedOut)
  const mayHelp =
    refusal.hasEnded || (isSignedOut && (refusal.status === 401 || refusal.typed.length > 0))
  return (
    <Layout request={{ viewer: null, url, formToken: '' }} title={title} isUnlisted>
      <h1>{title}</h1>
      {refusal.fault && <p>{refusal.fault.message}</p>}
      <p>{advice}</p>
      <p>
        {mayHelp && (
          <>
            <a href={signIn}>Sign in</a> ·{' '}
          </>
        )}
        <a href="/">Home</a> · <a href="/bugs">Search</a>
      </p>
      {refusal.typed.length > 0 && (
        <>
          <h2>What you typed</h2>
          <p>Nothing of it was saved. Copy it before you leave this page.</p>
        </>
      )}
      {refusal.typed.map(([name, text]) => (
        <label>
          {labelOf(name)}
          <textarea readonly rows={Math.min(12, text.split('\n').length + 1)}>
            {text}
          </textarea>
        </label>
      ))}
    </Layout>
  )
}

function explain(
  { status, fault, hasEnded }: Refusal,
  isSignedOut: boolean,
): { title: string; advice: string } {
  if (fault?.kind === bugNotVisible) {
    return {
      title: 'Access denied',
      advice:
        'This bug is not public, or it is limited to people with certain rights. If you should see it, sign in, or ask the person who sent you here to add you to the bug.',
    }
  }
  if (fault?.kind === loginRequired || (status === 401 && isSignedOut)) {
    return { title: 'Sign in first', advice: 'This page is for people who are signed in.' }
  }
  if (hasEnded) {
    return { title: 'Your session has ended', advice: 'Sign in again.' }
  }
  return EXPLANATIONS[status] ?? OTHER
}

const OTHER = { title: 'That did not work', advice: 'Go back, mend what it says, and try again.' }

const EXPLANATIONS: Readonly<Record<number, { title: string; advice: string }>> = {
  401: {
    title: 'Not allowed',
    advice: 'Your account lacks the right to do this. Ask an administrator for it.',
  },
  403: {
    title: 'Please send the form again',
    advice:
      'The form was not sent by this site, or your session has changed since it was opened. Open its page again and send it from there.',
  },
  404: {
    title: 'Nothing here',
    advice: 'There is no such thing, or its address is misspelled.',
  },
  405: {
    title: 'Not in this way',
    advice:
      'This address is for the forms of a page, or only for reading. Begin at the page itself.',
  },
  409: { title: 'Somebody was faster', advice: 'Reload the page and look at what has changed.' },
  413: { title: 'Too large', advice: 'Send less at a time, or a smaller file.' },
  429: { title: 'Too many requests', advice: 'Wait a minute, then go on.' },
  500: {
    title: 'Something went wrong',
    advice: 'This is a mistake of the service. Its log has the details; please tell its operator.',
  },
  503: {
    title: 'Please try again',
    advice: 'The service is busy. Nothing was lost: try again in a moment.',
  },
}
