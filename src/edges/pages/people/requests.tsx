import { Fault } from '../../../platform/faults/fault.ts'
import { listFlagRequests } from '../../../tracker/flags/requests.ts'
import { Layout } from '../layout.tsx'
import { ask, movedTo, type PageRequest } from '../page.ts'
import { LineInput } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { RequestTable } from '../parts/request-table.tsx'

const MAX_SHOWN = 200

const FILTERS = [
  ['requestee', 'Asked of'],
  ['setter', 'Asked by'],
  ['type', 'Flag'],
  ['product', 'Product'],
  ['component', 'Component'],
] as const

type Filters = Partial<Record<(typeof FILTERS)[number][0], string>>

/** Flags that wait for an answer: of the reader and by the reader, or those that a filter finds. */
export async function showRequests(request: PageRequest) {
  const { url, route, viewer } = request
  if (route !== '/requests') {
    return movedTo(`/requests${url.search}`)
  }
  const filters: Filters = Object.fromEntries(
    FILTERS.flatMap(([name]) => {
      const value = url.searchParams.get(name)?.trim() ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Layout request={request} title="Requests" canonical="/requests" isUnlisted>
      <h1>Requests</h1>
      {viewer === null || isFiltered
        ? await showFiltered(request, filters)
        : await showOwn(request, viewer.login)}
      <h2>Look for others</h2>
      <form action="/requests">
        <div class="fields">
          {FILTERS.map(([name, label]) => (
            <LineInput label={label} name={name} value={filters[name] ?? ''} />
          ))}
        </div>
        <button type="submit" class="quiet">
          Show these requests
        </button>
      </form>
    </Layout>
  )
}

async function showOwn(request: PageRequest, login: string) {
  const [asked, asking] = await Promise.all([
    ask(request, listFlagRequests, { requestee: login, limit: MAX_SHOWN }),
    ask(request, listFlagRequests, { setter: login, limit: MAX_SHOWN }),
  ])
  return (
    <>
      <h2>Asked of you</h2>
      {asked.requests.length === 0 && <p class="muted">Nobody waits for your answer.</p>}
      <RequestTable requests={asked.requests} without="requestee" />
      <h2>Asked by you</h2>
      {asking.requests.length === 0 && <p class="muted">You wait for nobody.</p>}
      <RequestTable requests={asking.requests} without="setter" />
    </>
  )
}

async function showFiltered(request: PageRequest, filters: Filters) {
  try {
    const { requests } = await ask(request, listFlagRequests, { ...filters, limit: MAX_SHOWN })
    return (
      <>
        {requests.length === 0 && <p class="muted">No request that you see waits.</p>}
        <RequestTable requests={requests} />
      </>
    )
  } catch (error) {
    if (error instanceof Fault && error.status < 500) {
      request.c.status(error.status)
      return <Refusal message={error.message} />
    }
    throw error
  }
}
