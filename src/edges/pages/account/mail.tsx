import {
  MAIL_EVENTS,
  MAIL_ROLES,
  type MailEvent,
  type MailRole,
} from '../../../tracker/notices/preferences.ts'
import { getPreferences } from '../../../tracker/preferences/get.ts'
import { SWITCH_NAMES, type SwitchName } from '../../../tracker/preferences/present.ts'
import { updatePreferences } from '../../../tracker/preferences/update.ts'
import { ask, type PageRequest } from '../page.ts'
import { Action, Form, Tick } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { Table } from '../parts/table.tsx'
import { sendingTab, type Tab, TabFrame } from './tab.tsx'

const ROLE_TITLES: Readonly<Record<MailRole, string>> = {
  assignee: 'Assignee',
  reporter: 'Reporter',
  qa_contact: 'QA contact',
  cc: 'CC',
  component_watcher: 'Watcher',
}

const EVENT_TITLES: Readonly<Record<MailEvent, string>> = {
  role_changed: 'I get or lose this role',
  created: 'A bug is new',
  resolution: 'It is resolved or reopened',
  component: 'It moves to another product or component',
  management: 'Status, severity, priority or milestone change',
  comment: 'Somebody comments',
  attachment: 'A file is attached or changed',
  attachment_data: 'The description of a file changes',
  keywords: 'Keywords change',
  cc: 'The CC list changes',
  dependencies: 'Dependencies, or bugs that it depends on, change',
  other: 'Anything else changes',
  unconfirmed: 'even while it is unconfirmed',
  by_me: 'even if I did it myself',
}

const SWITCH_TITLES: Readonly<Record<SwitchName, string>> = {
  asked_for_flag: 'Somebody asks me for a flag',
  flag_answered: 'A flag that I asked for is answered',
  html_mail: 'Mails have a formatted part',
  new_in_subject: 'Subjects of mails about new bugs begin with “New:”',
}

/** Which mail a person gets: the events by the roles in which they matter. */
export const mailTab: Tab = {
  show: showMail,
  send: sendingTab('mail', showMail, {
    save: (request) =>
      ask(request, updatePreferences, {
        id_or_name: String(request.viewer?.id),
        ...readForm(request),
      }),
  }),
}

function readForm({ form }: PageRequest) {
  const email = Object.fromEntries(
    MAIL_ROLES.map((role) => [
      role,
      Object.fromEntries(MAIL_EVENTS.map((event) => [event, form.has(`${role}.${event}`)])),
    ]),
  )
  return { email, ...Object.fromEntries(SWITCH_NAMES.map((name) => [name, form.has(name)])) }
}

async function showMail(request: PageRequest, refusal?: string) {
  const preferences = await ask(request, getPreferences, { id_or_name: String(request.viewer?.id) })
  return (
    <TabFrame request={request} tab="mail">
      <Refusal message={refusal} />
      <p>
        Tick when a mail is worth it, for each part that you play in a bug. Mails show only what you
        may see. <a href="/account?tab=watching">Whom and what you watch</a> counts as well.
      </p>
      <Form request={request} action="/account/mail">
        <Table heads={['When …', ...MAIL_ROLES.map((role) => ROLE_TITLES[role])]}>
          {MAIL_EVENTS.map((event) => (
            <tr>
              <th scope="row">{EVENT_TITLES[event]}</th>
              {MAIL_ROLES.map((role) => (
                <td>
                  <input
                    type="checkbox"
                    name={`${role}.${event}`}
                    checked={preferences.email?.[role]?.[event] === true}
                    aria-label={`${ROLE_TITLES[role]}: ${EVENT_TITLES[event]}`}
                  />
                </td>
              ))}
            </tr>
          ))}
        </Table>
        <fieldset>
          <legend>Always</legend>
          {SWITCH_NAMES.map((name) => (
            <Tick label={SWITCH_TITLES[name]} name={name} checked={preferences[name] === true} />
          ))}
        </fieldset>
        <Action act="save">Save</Action>
      </Form>
    </TabFrame>
  )
}
