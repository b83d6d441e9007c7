import { LONG_QUERY_MARK } from '../../platform/http/request/long-query.ts'
import { Layout } from './layout.tsx'
import type { PageRequest } from './page.ts'

/** The home page: what waits for the reader, and where to begin. It explains the limit to those sent by a long query. */
export async function showHome(request: PageRequest) {
  const { origin } = request.url
  return (
    <Layout request={request} title="Home" description="Bugs, and who works on them.">
      <h1>Lacewing</h1>
      {request.url.searchParams.has(LONG_QUERY_MARK) && <LongQuery />}
      <p>
        This is a bug tracker with a REST API, which answers below <code>{origin}/rest</code>.
      </p>
    </Layout>
  )
}

function LongQuery() {
  return (
    <p class="notice">
      <strong>Sent here by a long query?</strong> Query strings are limited to 10&nbsp;KB, which is
      about 1,000 bug IDs. Ask for fewer IDs at a time.
    </p>
  )
}
