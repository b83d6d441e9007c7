import { Fault } from '../../../platform/faults/fault.ts'
import { recordVisit } from '../../../tracker/visits/record.ts'
import { Layout } from '../layout.tsx'
import { ask, type PageRequest } from '../page.ts'
import { LinkedStatus } from '../parts/bug-link.tsx'
import { labelOf } from '../parts/labels.ts'
import { Moment } from '../parts/moment.tsx'
import { NoticeLine } from '../parts/refusal.tsx'
import { Attachments } from './attachments.tsx'
import { ChangeEntry } from './changes.tsx'
import { Discussion } from './discussion.tsx'
import { Facts } from './facts.tsx'
import { type BugPage, loadBugPage, maySend } from './load.ts'
import { Who } from './people.tsx'
import { BugForm } from './reply.tsx'
import type { State } from './state.ts'

/** A bug with everything that its reader may know of it and do with it. Clients that ask for JSON get the API. */
export async function showBug(request: PageRequest) {
  const { id = '' } = request.path
  const accept = request.c.req.header('accept') ?? ''
  if (accept.includes('application/json') && !accept.includes('text/html')) {
    return request.c.redirect(`/rest/bug/${encodeURIComponent(id)}`)
  }
  const isEditing = request.viewer !== null && request.url.searchParams.has('edit')
  const page = await loadBugPage(request, id, isEditing)
  if (page.isNewest) {
    deferVisit(request, page)
  }
  return <BugDocument request={request} page={page} state={{}} />
}

/** Visits count for people who are involved with the bug, once they have its page. */
function deferVisit(request: PageRequest, { bug }: BugPage): void {
  const { viewer, ctx } = request
  const { assigned_to_detail, creator_detail, qa_contact_detail, cc_detail = [] } = bug
  const involved = [assigned_to_detail, creator_detail, qa_contact_detail, ...cc_detail]
  if (viewer !== null && involved.some((person) => person?.id === viewer.id)) {
    ctx.defer(async () => {
      try {
        await ask(request, recordVisit, { id: String(bug.id) })
      } catch (error) {
        // the reader may have left the bug meanwhile
        if (!(error instanceof Fault)) {
          throw error
        }
      }
    })
  }
}

type DocumentProps = { request: PageRequest; page: BugPage; state: State }

export function BugDocument({ request, page, state }: DocumentProps) {
  const { bug, isEditing } = page
  const { id, summary = '', groups = [] } = bug
  const canComment = maySend(page, 'comment')
  return (
    <Layout
      request={request}
      title={`Bug ${id} – ${summary}`}
      canonical={`/bug/${id}`}
      description={`${bug.status} ${bug.resolution ?? ''} in ${bug.product}: ${bug.component}`}
      {...(groups.length > 0 && { isUnlisted: true })}
    >
      <Saved request={request} page={page} />
      <Refusals page={page} state={state} />
      <Head page={page} />
      {isEditing && canComment && <BugForm request={request} page={page} state={state} />}
      <div class="bug">
        {!isEditing && <Facts page={page} request={request} />}
        <div>
          <Attachments page={page} />
          <Discussion page={page} request={request} />
          {!isEditing && canComment && page.isNewest && (
            <BugForm request={request} page={page} state={state} />
          )}
          {request.viewer === null && (
            <p class="notice">
              <a href={`/login?return=${encodeURIComponent(`/bug/${id}`)}`}>Sign in</a> to comment
              or to change this bug.
            </p>
          )}
          <Keys />
        </div>
      </div>
    </Layout>
  )
}

function Head({ page }: { page: BugPage }) {
  const { bug } = page
  const alias = [bug.alias].flat().join(', ')
  return (
    <header class="head">
      <h1>
        <span class="muted">Bug {bug.id}</span> <bdi>{bug.summary}</bdi>
      </h1>
      <p class="bar">
        <LinkedStatus bug={bug} />
        <span>
          {[bug.type, bug.priority, bug.severity].filter((one) => one && one !== '--').join(' · ')}
        </span>
        {alias !== '' && <code>{alias}</code>}
        <span class="muted">
          reported <Moment at={bug.creation_time} /> by <Who page={page} login={bug.creator} />,
          changed <Moment at={bug.last_change_time} />
        </span>
      </p>
    </header>
  )
}

/** What the form that led here has changed. */
function Saved({ request, page }: { request: PageRequest; page: BugPage }) {
  const { searchParams: query } = request.url
  const saved = query.get('saved')
  if (saved === null) {
    return null
  }
  const names = saved.split(',').filter((name) => /^[a-z_.]+$/.test(name))
  const labels = names.map((name) => labelOf(name, page.fields))
  const isPersonal = names.every((name) => name === 'tags')
  return (
    <NoticeLine>
      {names.length === 0
        ? 'Nothing was changed.'
        : `Saved: ${labels.join(', ')}. ${
            isPersonal
              ? ''
              : query.get('mail') === '0'
                ? 'No mail was sent, as you asked.'
                : 'The people of this bug who want mail get it now.'
          }`}
    </NoticeLine>
  )
}

/** Why nothing was written, and what others wrote meanwhile. */
function Refusals({ page, state }: { page: BugPage; state: State }) {
  const { refusal, meanwhile } = state
  if (meanwhile !== undefined) {
    const { comments, history } = meanwhile
    return (
      <div class="notice refusal" role="alert">
        <p>
          <strong>Somebody was faster.</strong> Nothing of yours was saved yet, and nothing is lost:
          what you typed is below. Look at what is new, then save again.
        </p>
        <ul>
          {history.map((entry) => (
            <li>
              <ChangeEntry page={page} entry={entry} />
            </li>
          ))}
          {comments.map(({ count, creator, creation_time }) => (
            <li>
              <Who page={page} login={creator} /> <Moment at={creation_time} />:{' '}
              <a href={`#c${count}`}>comment {count}</a>
            </li>
          ))}
        </ul>
      </div>
    )
  }
  return refusal === undefined ? null : (
    <p class="notice refusal" role="alert">
      <strong>Nothing was saved.</strong> {refusal.message}
    </p>
  )
}

function Keys() {
  return (
    <details class="plain keys" id="keys">
      <summary>Keyboard (?)</summary>
      <p>
        <kbd>j</kbd> next comment, <kbd>k</kbd> previous comment, <kbd>r</kbd> reply, <kbd>e</kbd>{' '}
        edit, <kbd>/</kbd> search, <kbd>?</kbd> this list
      </p>
    </details>
  )
}
