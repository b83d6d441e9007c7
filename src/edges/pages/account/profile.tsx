import type { PropsWithChildren } from 'hono/jsx'
import { updateUsers } from '../../../tracker/users/update.ts'
import { ask, fieldText, type PageRequest } from '../page.ts'
import { Action, Form, LineInput, NewPassword, Tick } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { PresentPassword, sendingTab, type Tab, TabFrame } from './tab.tsx'

/** Name, address and password, which their owner changes. */
export const profileTab: Tab = {
  show: showProfile,
  send: sendingTab('profile', showProfile, {
    name: (request) => change(request, { full_name: fieldText(request, 'full_name') }),
    email: (request) =>
      change(request, {
        email: fieldText(request, 'email'),
        current_password: fieldText(request, 'current_password'),
      }),
    password: (request) =>
      change(request, {
        password: fieldText(request, 'password'),
        current_password: fieldText(request, 'current_password'),
        ...(request.form.has('revoke_keys') && { revoke_keys: true }),
      }),
  }),
}

function change(request: PageRequest, values: object) {
  return ask(request, updateUsers, { id_or_name: String(request.viewer?.id), ...values })
}

async function showProfile(request: PageRequest, refusal?: string) {
  const { viewer } = request
  return (
    <TabFrame request={request} tab="profile">
      <Refusal message={refusal} />
      <ProfileForm request={request} action="name" label="Save the name">
        <LineInput
          label="Name"
          name="full_name"
          autocomplete="name"
          value={request.form.has('full_name') ? fieldText(request, 'full_name') : viewer?.realName}
        />
      </ProfileForm>
      <h2>Address</h2>
      <p>
        You sign in as {viewer?.login}. A new address counts when you follow the link in its mail.
      </p>
      <ProfileForm request={request} action="email" label="Send the link">
        <LineInput sent={request} label="New address" type="email" name="email" required />
        <PresentPassword request={request} />
      </ProfileForm>
      <h2>Password</h2>
      <p>All other sessions end.</p>
      <ProfileForm request={request} action="password" label="Set the password">
        <PresentPassword request={request} />
        <NewPassword request={request} name="password" />
        <Tick label="Revoke my API keys too" name="revoke_keys" />
      </ProfileForm>
    </TabFrame>
  )
}

type ProfileFormProps = PropsWithChildren<{ request: PageRequest; action: string; label: string }>

function ProfileForm({ request, action, label, children }: ProfileFormProps) {
  return (
    <Form request={request} action="/account/profile">
      <div class="fields">{children}</div>
      <Action act={action}>{label}</Action>
    </Form>
  )
}
