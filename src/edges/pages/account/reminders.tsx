import { createReminder } from '../../../tracker/reminders/create.ts'
import { listReminders } from '../../../tracker/reminders/get.ts'
import { removeReminder } from '../../../tracker/reminders/remove.ts'
import { type Answer, ask, askOnce, fieldText, type PageRequest } from '../page.ts'
import { Action, Form, LineInput } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { Table } from '../parts/table.tsx'
import { sendingTab, type Tab, TabFrame } from './tab.tsx'

/** Mails about a bug that a person has ordered for a day. */
export const remindersTab: Tab = {
  show: showReminders,
  send: sendingTab('reminders', showReminders, {
    create: (request) =>
      askOnce(request, createReminder, {
        bug_id: fieldText(request, 'bug_id'),
        note: fieldText(request, 'note'),
        reminder_ts: fieldText(request, 'reminder_ts'),
      }),
    remove: (request) => ask(request, removeReminder, { id: fieldText(request, 'id') }),
  }),
}

type Reminder = Answer<typeof listReminders>['reminders'][number]

async function showReminders(request: PageRequest, refusal?: string) {
  const { reminders } = await ask(request, listReminders, {})
  const waiting = reminders.filter(({ sent }) => sent !== true)
  const sent = reminders.filter(({ sent: isSent }) => isSent === true)
  return (
    <TabFrame request={request} tab="reminders">
      <Refusal message={refusal} />
      <ReminderTable request={request} reminders={waiting} />
      <h2>New reminder</h2>
      <Form request={request} isOnce action="/account/reminders">
        <div class="fields">
          <LineInput
            label="Bug"
            name="bug_id"
            required
            value={fieldText(request, 'bug_id') || (request.url.searchParams.get('bug') ?? '')}
          />
          <LineInput sent={request} label="On" type="date" name="reminder_ts" required />
          <LineInput sent={request} label="Note" name="note" />
        </div>
        <Action act="create">Remind me</Action>
      </Form>
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
    <Table heads={['Bug', 'On', 'Note', 'Change']}>
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
            <Form request={request} action="/account/reminders">
              <input type="hidden" name="id" value={String(id)} />
              <Action
                class="quiet"
                act="remove"
                aria-label={`Remove the reminder of bug ${bug_id} on ${reminder_ts}`}
              >
                Remove
              </Action>
            </Form>
          </td>
        </tr>
      ))}
    </Table>
  )
}
