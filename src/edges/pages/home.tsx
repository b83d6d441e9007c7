import type { Person } from '../../platform/access/caller.ts'
import { LONG_QUERY_MARK } from '../../platform/http/request/long-query.ts'
import { listFlagRequests } from '../../tracker/flags/requests.ts'
import { listSavedSearches } from '../../tracker/saved-searches/list.ts'
import { getVisits } from '../../tracker/visits/get.ts'
import { listProducts } from './browse/products.tsx'
import { Layout } from './layout.tsx'
import { QuicksearchHelp } from './list/quicksearch-help.tsx'
import { findBugs, ShortList } from './list/short-list.tsx'
import { ask, type PageRequest } from './page.ts'
import { RequestTable } from './parts/request-table.tsx'

/** Of each kind of things that wait. */
const MAX_SHOWN = 10

/**
 * The home page: what waits for the reader, and where to begin. It explains the limit to those sent by a long query.
 */
export async function showHome(request: PageRequest) {
  const { url, viewer } = request
  const waiting = viewer === null ? null : await loadWaiting(request, viewer)
  return (
    <Layout request={request} title="Home" description="Bugs, and who works on them." canonical="/">
      <h1>{viewer === null ? 'Bugs, and who works on them' : 'What waits for you'}</h1>
      {url.searchParams.has(LONG_QUERY_MARK) && <LongQuery />}
      <search>
        <form action="/bugs">
          <input
            type="search"
            name="quicksearch"
            aria-label="Words, a field and a value, or the number of a bug"
            placeholder="Words, a field and a value, or the number of a bug"
          />
        </form>
      </search>
      <QuicksearchHelp />
      {waiting === null ? await listProducts(request) : <Waiting {...waiting} />}
      <p class="muted">
        Programs use the REST API below <code>{url.origin}/rest</code>.
      </p>
    </Layout>
  )
}

async function loadWaiting(request: PageRequest, viewer: Person) {
  const [assigned, { requests }, { saved_searches: saved }, recent] = await Promise.all([
    findBugs(request, {
      assigned_to: '%user%',
      status: '__open__',
      order: 'changeddate DESC',
      limit: MAX_SHOWN + 1,
    }),
    ask(request, listFlagRequests, { requestee: viewer.login, limit: MAX_SHOWN + 1 }),
    ask(request, listSavedSearches, {
      exclude_fields: ['query'],
    }),
    ask(request, getVisits, {}).then((visits) => {
      const ids = visits.slice(0, MAX_SHOWN).map(({ id }) => id)
      return ids.length === 0 ? [] : findBugs(request, { id: ids, order: 'bug_list' })
    }),
  ])
  return { assigned, requests, saved, recent }
}

type Waiting = Awaited<ReturnType<typeof loadWaiting>>

function Waiting({ assigned, requests, saved, recent }: Waiting) {
  return (
    <>
      <h2>Asked of you</h2>
      {requests.length === 0 && <p class="muted">Nobody waits for your answer.</p>}
      <RequestTable requests={requests.slice(0, MAX_SHOWN)} without="requestee" />
      {requests.length > MAX_SHOWN && <a href="/requests">All requests</a>}
      <h2>Assigned to you</h2>
      {assigned.length === 0 && <p class="muted">No open bug is assigned to you.</p>}
      <ShortList bugs={assigned.slice(0, MAX_SHOWN)} />
      {assigned.length > MAX_SHOWN && (
        <a href="/bugs?assigned_to=%25user%25&status=__open__">All that is assigned to you</a>
      )}
      {recent.length > 0 && <h2>Looked at last</h2>}
      <ShortList bugs={recent} />
      <h2>Searches</h2>
      <ul>
        <li>
          <a href="/bugs?reporter=%25user%25">Bugs that you filed</a>
        </li>
        {saved.map(({ name = '', sharer_id: sharer, owner, shared_with: group }) => (
          <li>
            <a href={`/bugs?savedsearch=${encodeURIComponent(name)}&sharer_id=${sharer}`}>{name}</a>
            {group !== null && (
              <span class="muted">
                {' '}
                of {owner}, shared with {group}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
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
