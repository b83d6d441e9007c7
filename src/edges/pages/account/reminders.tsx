import { createReminder } from '../../../tracker/reminders/create.ts'
import { listReminders } from '../../../tracker/reminders/get.ts'
import { removeReminder } from '../../../tracker/reminders/remove.ts'
import { FormToken } from '../layout.tsx'
import { ask, field, type PageRequest } from '../page.ts'
import { Refusal } from '../parts/refusal.tsx'
import { sending, type Tab, TabFrame } from './tab.tsx'

/** Mails about a bug that a person has ordered for a day. */
export const remindersTab: Tab = {
  show: (request) => showReminders(request),
  send: {
    create: sending('reminders', showReminders, (request) =>
      ask(request, createReminder, {
        bug_id: field(request, 'bug_id'),
        note: field(request, 'note'),
        reminder_ts: field(request, 'reminder_ts'),
      }),
    ),
    remove: sending('reminders', showReminders, (request) =>
      ask(request, removeReminder, { id: field(request, 'id') }),
    ),
  },
}

type Reminder = Awaited<ReturnType<typeof ask<typeof listReminders.output>>>['reminders'][number]

async function showReminders(request: PageRequest, refusal?: string) {
  const { reminders } = await ask(request, listReminders, {})
  const waiting = reminders.filter(({ sent }) => sent !== true)
  const sent = reminders.filter(({ sent: isSent }) => isSent === true)
  return (
    <TabFrame request={request} tab="reminders">
      <Refusal message={refusal} />
      <ReminderTable request={request} reminders={waiting} />
      <h2>New reminder</h2>
      <form method="post" action="/account/reminders">
        <FormToken value={request.formToken} />
        <div class="fields">
          <label>
            Bug
            <input
              name="bug_id"
              required
              value={field(request, 'bug_id') || (request.url.searchParams.get('bug') ?? '')}
            />
          </label>
          <label>
            On
            <input type="date" name="reminder_ts" required value={field(request, 'reminder_ts')} />
          </label>
          <label>
            Note
            <input name="note" value={field(request, 'note')} />
          </label>
        </div>
        <button type="submit" name="do" value="create">
          Remind me
        </button>
      </form>
      {sent.length > 0 && (
        <details>
          <summary>Sent ({sent.length})</summary>
          <ReminderTable request={request} reminders={sent} />
        </details>
      )}
    </TabFrame>
  )
}

function ReminderTable(props: { request: PageRequest; reminders: readonly Reminder[] }) {
  const { request, reminders } = props
  return reminders.length === 0 ? (
    <p class="muted">None.</p>
  ) : (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Bug</th>
            <th scope="col">On</th>
            <th scope="col">Note</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {reminders.map(({ id, bug_id, reminder_ts, note }) => (
            <tr id={`r${id}`}>
              <td>
                <a href={`/bug/${bug_id}`}>{bug_id}</a>
              </td>
              <td>
                <time datetime={reminder_ts}>{reminder_ts}</time>
              </td>
              <td>{note}</td>
              <td>
                <form method="post" action="/account/reminders">
                  <FormToken value={request.formToken} />
                  <input type="hidden" name="id" value={String(id)} />
                  <button
                    class="quiet"
                    type="submit"
                    name="do"
                    value="remove"
                    aria-label={`Remove the reminder of bug ${bug_id} on ${reminder_ts}`}
                  >
                    Remove
                  </button>
                </form>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
