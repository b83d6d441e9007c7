import { endOtherSessions, endSession } from '../../../tracker/users/sessions/end.ts'
import { listSessions } from '../../../tracker/users/sessions/list.ts'
import { ask, fieldText, type PageRequest } from '../page.ts'
import { Action, Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { Table } from '../parts/table.tsx'
import { sendingTab, type Tab, TabFrame } from './tab.tsx'

/** Where a person is signed in. */
export const sessionsTab: Tab = {
  show: showSessions,
  send: sendingTab('sessions', showSessions, {
    end: (request) => ask(request, endSession, { id: fieldText(request, 'id') }),
    others: (request) => ask(request, endOtherSessions, {}),
  }),
}

async function showSessions(request: PageRequest, refusal?: string) {
  const { sessions } = await ask(request, listSessions, {})
  return (
    <TabFrame request={request} tab="sessions">
      <Refusal message={refusal} />
      <p>End a session that is not yours, and set a new password.</p>
      <Table heads={['Browser', 'Address', 'Since', 'Last used', 'Change']}>
        {sessions.map(({ id, user_agent, last_used_ip, creation_time, last_used, is_current }) => (
          <tr>
            <td>{user_agent || 'unknown'}</td>
            <td>{last_used_ip}</td>
            <td>
              <Moment at={creation_time} />
            </td>
            <td>
              <Moment at={last_used} />
            </td>
            <td>
              {is_current ? (
                <span class="muted">this one</span>
              ) : (
                <Form request={request} action="/account/sessions">
                  <input type="hidden" name="id" value={String(id)} />
                  <Action class="quiet" act="end">
                    End
                  </Action>
                </Form>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <Form request={request} action="/account/sessions">
        <Action class="quiet" act="others">
          End all others
        </Action>
      </Form>
    </TabFrame>
  )
}
