import type { PropsWithChildren } from 'hono/jsx'
import { invalidParameter } from '../../../platform/faults/fault.ts'
import { Layout } from '../layout.tsx'
import { field, orAgain, type Page, type PageBody, type PageRequest, redirectTo } from '../page.ts'
import { Refusal, Saved } from '../parts/refusal.tsx'

/** A page, and what its forms do. */
export type AdminPage = { readonly show: Page; readonly send?: Page }

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
export function sending(
  show: (request: PageRequest, refusal?: string) => Promise<PageBody>,
  acts: Readonly<Record<string, Act>>,
): Page {
  return (request) => {
    const name = field(request, 'do')
    const act = Object.hasOwn(acts, name) ? acts[name] : undefined
    if (act === undefined) {
      throw invalidParameter('do', 'is nothing that these forms do')
    }
    return orAgain(
      request,
      async () => {
        const next = await act(request)
        return redirectTo(typeof next === 'string' ? next : `${request.url.pathname}?done=1`)
      },
      (refusal) => show(request, refusal),
    )
  }
}
