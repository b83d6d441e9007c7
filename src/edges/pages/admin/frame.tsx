import type { PropsWithChildren } from 'hono/jsx'
import { Layout } from '../layout.tsx'
import {
  actOf,
  behindForm,
  type PageHandler,
  type PageRequest,
  redirectTo,
  type Showing,
} from '../page.ts'
import { Refusal, Saved } from '../parts/refusal.tsx'

/** A page, and what its forms do. */
export type AdminPage = { readonly show: PageHandler; readonly send?: PageHandler }

type FrameProps = PropsWithChildren<{
  request: PageRequest
  title: string
  refusal?: string | undefined
}>

/** The frame of a page of the administration. */
export function AdminFrame({ request, title, refusal, children }: FrameProps) {
  return (
    <Layout request={request} title={`${title} · Administration`} isUnlisted>
      <p class="muted">
        <a href="/admin">Administration</a>
      </p>
      <h1>{title}</h1>
      <Saved url={request.url} />
      <Refusal message={refusal} />
      {children}
    </Layout>
  )
}

/** What a form does; it may name the page that follows. */
export type Act = (request: PageRequest) => Promise<unknown>

/** Does what the button `do` says, and leads back to the page; a refusal stands on the page. */
export function sending(show: Showing, acts: Readonly<Record<string, Act>>): PageHandler {
  return (request) => {
    const act = actOf(request, acts)
    const page = behindForm(show, async () => {
      const next = await act(request)
      return redirectTo(typeof next === 'string' ? next : `${request.url.pathname}?done=1`)
    })
    return page(request)
  }
}
