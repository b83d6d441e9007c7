import type { Context } from 'hono'
import { bugNotVisible, loginRequired } from '../../platform/access/faults.ts'
import type { Fault } from '../../platform/faults/fault.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { publicAddress } from '../../platform/http/request/base-url.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { Layout } from './layout.tsx'

type Refusal = { readonly status: number; readonly fault: Fault | null }

/** What a page answers in the place of what it cannot show: what is wrong, and what to do. */
export function errorPage(c: Context<AppEnv>, refusal: Refusal) {
  const url = new URL(publicAddress(readSettings(c.env), c.req.url))
  const { title, advice } = explain(refusal)
  const signIn = `/login?return=${encodeURIComponent(url.pathname + url.search)}`
  const mayHelp = refusal.status === 401 && c.get('credentials')?.session === undefined
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
    </Layout>
  )
}

function explain({ status, fault }: Refusal): { title: string; advice: string } {
  if (fault?.kind === bugNotVisible) {
    return {
      title: 'Access denied',
      advice:
        'This bug is not public, or it is limited to people with certain rights. If you should see it, sign in, or ask the person who sent you here to add you to the bug.',
    }
  }
  if (fault?.kind === loginRequired) {
    return { title: 'Sign in first', advice: 'This page is for people who are signed in.' }
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
      'The form was not sent by this site, or your session has changed since it was opened. Go back, reload the page and send it again.',
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
