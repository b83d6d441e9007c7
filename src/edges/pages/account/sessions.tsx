import { endOtherSessions, endSession } from '../../../tracker/users/sessions/end.ts'
import { listSessions } from '../../../tracker/users/sessions/list.ts'
import { FormToken } from '../layout.tsx'
import { ask, field, type PageRequest } from '../page.ts'
import { Moment } from '../parts/moment.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { sending, type Tab, TabFrame } from './tab.tsx'

/** Where a person is signed in. */
export const sessionsTab: Tab = {
  show: (request) => showSessions(request),
  send: {
    end: sending('sessions', showSessions, (request) =>
      ask(request, endSession, { id: field(request, 'id') }),
    ),
    others: sending('sessions', showSessions, (request) => ask(request, endOtherSessions, {})),
  },
}

async function showSessions(request: PageRequest, refusal?: string) {
  const { sessions } = await ask(request, listSessions, {})
  return (
    <TabFrame request={request} tab="sessions">
      <Refusal message={refusal} />
      <p>End a session that is not yours, and set a new password.</p>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">Browser</th>
              <th scope="col">Address</th>
              <th scope="col">Since</th>
              <th scope="col">Last used</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {sessions.map(
              ({ id, user_agent, last_used_ip, creation_time, last_used, is_current }) => (
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
                      <form method="post" action="/account/sessions">
                        <FormToken value={request.formToken} />
                        <input type="hidden" name="id" value={String(id)} />
                        <button class="quiet" type="submit" name="do" value="end">
                          End
                        </button>
                      </form>
                    )}
                  </td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      <form method="post" action="/account/sessions">
        <FormToken value={request.formToken} />
        <button type="submit" class="quiet" name="do" value="others">
          End all others
        </button>
      </form>
    </TabFrame>
  )
}
