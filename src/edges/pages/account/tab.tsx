import type { PropsWithChildren } from 'hono/jsx'
import { Layout } from '../layout.tsx'
import { orAgain, type Page, type PageBody, type PageRequest, redirectTo } from '../page.ts'
import { Saved } from '../parts/refusal.tsx'

/** A part of the preferences: what it shows, and what its forms do. */
export type Tab = {
  readonly show: Page
  /** By the value of the button `do`. */
  readonly send: Readonly<Record<string, Page>>
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

/** What a form does. It leads back to the tab unless `act` says otherwise; a refusal stands on the tab. */
export function sending(
  tab: TabName,
  show: (request: PageRequest, refusal: string) => Promise<PageBody>,
  act: (request: PageRequest) => Promise<unknown>,
): Page {
  return (request) =>
    orAgain(
      request,
      async () => {
        await act(request)
        return redirectTo(`/account?tab=${tab}&done=1`)
      },
      (refusal) => show(request, refusal),
    )
}
