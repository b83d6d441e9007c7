import { HTTPException } from 'hono/http-exception'
import { loggedIn } from '../../../platform/http/operations/operation.ts'
import { listFlagRequests } from '../../../tracker/flags/requests.ts'
import { getUser } from '../../../tracker/users/get.ts'
import { Layout } from '../layout.tsx'
import { findBugs, ShortList } from '../list/short-list.tsx'
import { ask, type PageRequest } from '../page.ts'
import { Moment } from '../parts/moment.tsx'
import { RequestTable } from '../parts/request-table.tsx'

/** Bugs and requests of each kind. */
const MAX_SHOWN = 10

const ROLES = [
  ['assigned_to', 'Assigned'],
  ['reporter', 'Filed'],
  ['qa_contact', 'To verify'],
  ['cc', 'On the CC list'],
  ['commenter', 'Commented'],
] as const

/** Somebody, and what they do, as far as the reader may know. */
export async function showPerson(request: PageRequest) {
  loggedIn.grant(request.ctx, {})
  const { users } = await ask(request, getUser, {
    id_or_name: request.path.id ?? '',
    // megabytes of one's own
    exclude_fields: ['saved_searches', 'saved_reports'],
  })
  const [person] = users
  if (person === undefined) {
    throw new HTTPException(404)
  }
  const { name = '', real_name: realName = '', groups = [] } = person
  const title = realName === '' ? name : realName
  const [assigned, filed, { requests }] = await Promise.all([
    findBugs(request, {
      assigned_to: name,
      status: '__open__',
      order: 'changeddate DESC',
      limit: MAX_SHOWN,
    }),
    findBugs(request, { reporter: name, order: 'opendate DESC', limit: MAX_SHOWN }),
    ask(request, listFlagRequests, { requestee: name, limit: MAX_SHOWN }),
  ])
  return (
    <Layout request={request} title={title} canonical={`/people/${person.id}`}>
      <h1>{title}</h1>
      <dl class="facts">
        <dt>Login</dt>
        <dd>{name}</dd>
        <dt>Nick</dt>
        <dd>{person.nick}</dd>
        {person.can_login === false && (
          <>
            <dt>Account</dt>
            <dd>disabled</dd>
          </>
        )}
        {person.creation_time && (
          <>
            <dt>Here since</dt>
            <dd>
              <Moment at={person.creation_time} />
            </dd>
          </>
        )}
        {person.last_activity_time && (
          <>
            <dt>Last change of a bug</dt>
            <dd>
              <Moment at={person.last_activity_time} />
            </dd>
          </>
        )}
        {groups.length > 0 && (
          <>
            <dt>Groups</dt>
            <dd>{groups.map((group) => group.name).join(', ')}</dd>
          </>
        )}
      </dl>
      <p class="bar">
        {ROLES.map(([role, label]) => (
          <a href={`/bugs?${new URLSearchParams({ [role]: name })}`}>{label}</a>
        ))}
        <a href={`/requests?${new URLSearchParams({ setter: name })}`}>Requests by them</a>
      </p>
      <h2>Asked of them</h2>
      {requests.length === 0 && <p class="muted">Nothing that you see.</p>}
      <RequestTable requests={requests} without="requestee" />
      <h2>Open bugs assigned to them</h2>
      {assigned.length === 0 && <p class="muted">None that you see.</p>}
      <ShortList bugs={assigned} />
      <h2>Filed last</h2>
      {filed.length === 0 && <p class="muted">None that you see.</p>}
      <ShortList bugs={filed} />
    </Layout>
  )
}
