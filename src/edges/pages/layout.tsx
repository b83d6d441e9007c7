import { assets } from 'lacewing:assets'
import { html } from 'hono/html'
import type { PropsWithChildren } from 'hono/jsx'
import { hasRole, type Person } from '../../platform/access/caller.ts'
import { ROLES, type Role } from '../../platform/access/roles.ts'
import type { PageRequest } from './page.ts'
import { Form } from './parts/form.tsx'

/** Roles whose people find something to administer. */
const ADMINISTERING: readonly Role[] = ROLES.filter(
  (role) => role === 'admin' || role.startsWith('edit') || role.startsWith('create'),
).filter((role) => role !== 'editbugs' && role !== 'edittriageowners')

type LayoutProps = PropsWithChildren<{
  request: Pick<PageRequest, 'viewer' | 'url' | 'formToken'>
  /** What tabs and search engines show. */
  title: string
  /** The path that stands for this page among others that show the same. */
  canonical?: string
  /** One sentence for previews of links. */
  description?: string
  /** Whether search engines leave it out. */
  isUnlisted?: boolean
  /** The path of the same as an Atom feed. */
  feed?: string
  /** Whether it shows a patch, which has styles of its own. */
  hasPatch?: boolean
}>

/** The frame of every page; `children` begin with the heading of the page. */
export function Layout({
  request,
  title,
  canonical,
  description,
  isUnlisted,
  feed,
  hasPatch,
  children,
}: LayoutProps) {
  const address = `${request.url.origin}${canonical ?? request.url.pathname}`
  const isHidden = isUnlisted ?? request.viewer !== null
  return html`<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Lacewing`}</title>
        <link rel="stylesheet" href={assets.style} />
        {hasPatch && <link rel="stylesheet" href={assets.patch} />}
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="canonical" href={address} />
        {feed && <link rel="alternate" type="application/atom+xml" href={feed} />}
        {isHidden ? (
          <meta name="robots" content="noindex" />
        ) : (
          <>
            <meta property="og:site_name" content="Lacewing" />
            <meta property="og:title" content={title} />
            <meta property="og:type" content="website" />
            <meta property="og:url" content={address} />
            {description && <meta property="og:description" content={description} />}
            {description && <meta name="description" content={description} />}
          </>
        )}
        <script type="module" src={assets.script}></script>
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Banner request={request} />
        <main id="content">{children}</main>
        <footer>
          <a href="/docs">Documentation</a> <a href="/docs/recipes">API</a>
        </footer>
      </body>
    </html>
  )}`
}

function Banner({ request }: Pick<LayoutProps, 'request'>) {
  const { viewer, url } = request
  const query = url.pathname === '/bugs' ? (url.searchParams.get('quicksearch') ?? '') : ''
  return (
    <header class="banner">
      <a class="brand" href="/">
        <img src={assets.icon} alt="" width="24" height="24" /> Lacewing
      </a>
      <search>
        <form action="/bugs">
          <input
            type="search"
            name="quicksearch"
            value={query}
            aria-label="Search bugs"
            placeholder="Search, or the number of a bug"
            accesskey="s"
          />
        </form>
      </search>
      <nav aria-label="Main">
        <a href="/new">New bug</a>
        <a href="/products">Browse</a>
        {viewer === null ? (
          <a href={`/login?return=${encodeURIComponent(url.pathname + url.search)}`}>Sign in</a>
        ) : (
          <AccountMenu viewer={viewer} request={request} />
        )}
      </nav>
    </header>
  )
}

function AccountMenu({ viewer, request }: Pick<LayoutProps, 'request'> & { viewer: Person }) {
  return (
    <>
      <a href="/requests">Requests</a>
      <details class="menu">
        <summary>{viewer.realName === '' ? viewer.login : viewer.realName}</summary>
        <ul>
          <li>
            <a href={`/people/${viewer.id}`}>My page</a>
          </li>
          <li>
            <a href="/account">Preferences</a>
          </li>
          {ADMINISTERING.some((role) => hasRole(viewer, role)) && (
            <li>
              <a href="/admin">Administration</a>
            </li>
          )}
          <li>
            <Form request={request} action="/logout">
              <button type="submit">Sign out</button>
            </Form>
          </li>
        </ul>
      </details>
    </>
  )
}
