import { updateUsers } from '../../../tracker/users/update.ts'
import { FormToken } from '../layout.tsx'
import { ask, field, type PageRequest } from '../page.ts'
import { Refusal } from '../parts/refusal.tsx'
import { sending, type Tab, TabFrame } from './tab.tsx'

/** Name, address and password, which their owner changes. */
export const profileTab: Tab = {
  show: (request) => showProfile(request),
  send: {
    name: sending('profile', showProfile, (request) =>
      change(request, { full_name: field(request, 'full_name') }),
    ),
    email: sending('profile', showProfile, (request) =>
      change(request, {
        email: field(request, 'email'),
        current_password: field(request, 'current_password'),
      }),
    ),
    password: sending('profile', showProfile, (request) =>
      change(request, {
        password: field(request, 'password'),
        current_password: field(request, 'current_password'),
        ...(request.form.has('revoke_keys') && { revoke_keys: true }),
      }),
    ),
  },
}

function change(request: PageRequest, values: object) {
  return ask(request, updateUsers, { id_or_name: String(request.viewer?.id), ...values })
}

async function showProfile(request: PageRequest, refusal?: string) {
  const { viewer } = request
  return (
    <TabFrame request={request} tab="profile">
      <Refusal message={refusal} />
      <Form request={request} action="name" label="Save the name">
        <label>
          Name
          <input
            name="full_name"
            autocomplete="name"
            value={request.form.has('full_name') ? field(request, 'full_name') : viewer?.realName}
          />
        </label>
      </Form>
      <h2>Address</h2>
      <p>
        You sign in as {viewer?.login}. A new address counts when you follow the link in its mail.
      </p>
      <Form request={request} action="email" label="Send the link">
        <label>
          New address
          <input type="email" name="email" required value={field(request, 'email')} />
        </label>
        <PresentPassword />
      </Form>
      <h2>Password</h2>
      <p>All other sessions end.</p>
      <Form request={request} action="password" label="Set the password">
        <PresentPassword />
        <label>
          New password
          <input
            type="password"
            name="password"
            required
            minlength={request.ctx.settings.PASSWORD_MIN_LENGTH}
            autocomplete="new-password"
          />
        </label>
        <label>
          <input type="checkbox" name="revoke_keys" /> Revoke my API keys too
        </label>
      </Form>
    </TabFrame>
  )
}

function PresentPassword() {
  return (
    <label>
      Present password
      <input type="password" name="current_password" required autocomplete="current-password" />
    </label>
  )
}

function Form(props: { request: PageRequest; action: string; label: string; children?: unknown }) {
  return (
    <form method="post" action="/account/profile">
      <FormToken value={props.request.formToken} />
      <div class="fields">{props.children}</div>
      <button type="submit" name="do" value={props.action}>
        {props.label}
      </button>
    </form>
  )
}
