import type { PropsWithChildren } from 'hono/jsx'
import { Layout } from '../layout.tsx'
import {
  behindForm,
  type PageBody,
  type PageHandler,
  type PageRequest,
  redirectTo,
  type Showing,
} from '../page.ts'
import { Saved } from '../parts/refusal.tsx'

/** A part of the preferences: what it shows, and what its forms do. */
export type Tab = {
  readonly show: PageHandler
  /** By the value of the button `do`. */
  readonly send: Readonly<Record<string, PageHandler>>
}

export const TAB_TITLES = {
  profile: 'Profile',
  'second-factor': 'Second factor',
  mail: 'Mail',
  watching: 'Watching',
  searches: 'Saved searches',
  reminders: 'Reminders',
  keys: 'API keys',
  webhooks: 'Webhooks',
  sessions: 'Sessions',
  permissions: 'Permissions',
} as const

export type TabName = keyof typeof TAB_TITLES

type TabProps = PropsWithChildren<{ request: PageRequest; tab: TabName }>

/** The frame of the preferences around one tab. */
export function TabFrame({ request, tab, children }: TabProps) {
  return (
    <Layout request={request} title={`${TAB_TITLES[tab]} · Preferences`} isUnlisted>
      <nav aria-label="Preferences" class="tabs">
        {Object.entries(TAB_TITLES).map(([name, title]) => (
          <a href={`/account?tab=${name}`} {...(name === tab && { 'aria-current': 'page' })}>
            {title}
          </a>
        ))}
      </nav>
      <h1>{TAB_TITLES[tab]}</h1>
      <Saved url={request.url} />
      {children}
    </Layout>
  )
}

/** What the form for a password, an address or a second factor asks for first. */
export function PresentPassword({ request }: { request: PageRequest }) {
  return (
    <>
      {/* tells password managers whose password it is */}
      <input hidden readonly autocomplete="username" value={request.viewer?.login} />
      <label>
        Present password
        <input type="password" name="current_password" required autocomplete="current-password" />
      </label>
    </>
  )
}

/** What the forms of a tab do: each leads back to the tab, on which a refusal stands. */
export function sendingTab(
  tab: TabName,
  show: Showing,
  acts: Readonly<Record<string, (request: PageRequest) => Promise<unknown>>>,
): Tab['send'] {
  const pages = Object.entries(acts).map(([name, act]) => [
    name,
    behindForm(show, async (request) => {
      await act(request)
      return redirectTo(`/account?tab=${tab}&done=1`)
    }),
  ])
  return Object.fromEntries(pages)
}

/** Makes what the tab shows this once, because nothing can show it again. */
export function revealing(
  show: (request: PageRequest, refusal?: string, made?: string) => Promise<PageBody>,
  make: (request: PageRequest) => Promise<string | undefined>,
): PageHandler {
  return behindForm(show, async (request) => show(request, undefined, await make(request)))
}
