import type { PropsWithChildren } from 'hono/jsx'
import { Layout } from '../layout.tsx'
import type { PageRequest } from '../page.ts'
import { Refusal } from '../parts/refusal.tsx'

type NarrowProps = PropsWithChildren<{
  request: PageRequest
  title: string
  refusal?: string | undefined
}>

/** A short form for somebody who cannot sign in yet. */
export function Narrow({ request, title, refusal, children }: NarrowProps) {
  return (
    <Layout request={request} title={title} isUnlisted>
      <div class="narrow">
        <h1>{title}</h1>
        <Refusal message={refusal} />
        {children}
      </div>
    </Layout>
  )
}
