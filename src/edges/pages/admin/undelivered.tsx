import { listUndelivered } from '../../undelivered/list.ts'
import { retryUndelivered } from '../../undelivered/retry.ts'
import { ask, fieldText, type PageRequest } from '../page.ts'
import { Action, Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'

/** Items of a page. */
const MAX_SHOWN = 100

const HEADS = ['What', 'Bug', 'Since', 'Attempts', 'Last error', 'Next attempt', 'Send']

/** What did not get through, to send again. */
export const undeliveredPage: AdminPage = {
  show: showUndelivered,
  send: sending(showUndelivered, {
    retry: (request) => ask(request, retryUndelivered, { id: fieldText(request, 'id') }),
  }),
}

function pageAt(offset: number): string {
  return `/admin/undelivered?offset=${offset}`
}

async function showUndelivered(request: PageRequest, refusal?: string) {
  const offset = Math.trunc(Number(request.url.searchParams.get('offset'))) || 0
  const parameters = { limit: MAX_SHOWN, offset: Math.max(offset, 0) }
  const { undelivered: items } = await ask(request, listUndelivered, parameters)
  return (
    <AdminFrame request={request} title="Undelivered" refusal={refusal}>
      {items.length === 0 ? (
        <p>{offset > 0 ? 'There are no others.' : 'Everything got through.'}</p>
      ) : (
        <p class="muted">The newest first.</p>
      )}
      {items.length > 0 && (
        <Table heads={HEADS} numbers={['Attempts']}>
          {items.map((item) => (
            <tr>
              <th scope="row">{item.kind}</th>
              <td>{item.bug_id && <a href={`/bug/${item.bug_id}`}>{item.bug_id}</a>}</td>
              <td>
                <Moment at={item.created} />
              </td>
              <td class="number">{item.attempts}</td>
              <td>{item.last_error}</td>
              <td>{item.next_attempt ? <Moment at={item.next_attempt} /> : 'given up'}</td>
              <td>
                <Form request={request} class="row">
                  <input type="hidden" name="id" value={item.id} />
                  <Action class="quiet" act="retry" aria-label={`Send ${item.id} again`}>
                    Again
                  </Action>
                </Form>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p class="bar">
        {offset > 0 && <a href={pageAt(Math.max(offset - MAX_SHOWN, 0))}>Newer</a>}
        {items.length === MAX_SHOWN && <a href={pageAt(offset + MAX_SHOWN)}>Older</a>}
      </p>
    </AdminFrame>
  )
}
