import type { PropsWithChildren } from 'hono/jsx'
import { confirmEmail } from '../../../tracker/users/account/confirm-email.ts'
import { setPassword } from '../../../tracker/users/account/set-password.ts'
import { register, requestPassword } from '../../../tracker/users/links/request.ts'
import { ask, behindForm, fieldText, type PageRequest, redirectTo } from '../page.ts'
import { Form, LineInput, NewPassword } from '../parts/form.tsx'
import { Narrow } from './narrow.tsx'

export async function showForgotten(request: PageRequest, refusal?: string) {
  return (
    <Narrow request={request} title="Forgotten password" refusal={refusal}>
      <p>We send a link to the address of your account, with which you set a new password.</p>
      <Form request={request} action="/account/forgotten">
        <LineInput
          sent={request}
          label="Login or e-mail address"
          name="login"
          required
          autocomplete="username"
        />
        <button type="submit">Send the link</button>
      </Form>
    </Narrow>
  )
}

/** The same page whether or not the account exists. */
export const sendForgotten = behindForm(showForgotten, async (request) => {
  await ask(request, requestPassword, { login: fieldText(request, 'login') })
  return (
    <Sent request={request}>
      If there is an account for it, a link is on its way. It works once, for an hour.
    </Sent>
  )
})

export async function showRegister(request: PageRequest, refusal?: string) {
  const { ALLOW_REGISTRATION, REGISTRATION_DOMAINS } = request.ctx.settings
  return ALLOW_REGISTRATION ? (
    <Narrow request={request} title="New account" refusal={refusal}>
      <p>
        We send a link to this address, with which you set a password.
        {REGISTRATION_DOMAINS !== '' && ` It has to end in ${REGISTRATION_DOMAINS}.`}
      </p>
      <Form request={request} action="/account/new">
        <LineInput
          sent={request}
          label="E-mail address"
          type="email"
          name="email"
          required
          autocomplete="email"
        />
        <LineInput sent={request} label="Your name" name="full_name" autocomplete="name" />
        <button type="submit">Send the link</button>
      </Form>
    </Narrow>
  ) : (
    <Narrow request={request} title="New account">
      <p>Only an administrator makes accounts here. Ask one for an invitation.</p>
    </Narrow>
  )
}

export const sendRegister = behindForm(showRegister, async (request) => {
  const parameters = {
    email: fieldText(request, 'email'),
    full_name: fieldText(request, 'full_name'),
  }
  await ask(request, register, parameters)
  return (
    <Sent request={request}>
      A link is on its way to {parameters.email}. It works once, for an hour.
    </Sent>
  )
})

export async function leadToRegister() {
  return redirectTo('/account/new')
}

function Sent({ request, children }: PropsWithChildren<{ request: PageRequest }>) {
  return (
    <Narrow request={request} title="Look into your mail">
      <p>{children}</p>
      <p>
        <a href="/login">Sign in</a>
      </p>
    </Narrow>
  )
}

/** A new password by the link of a mail, or in the place of one that has to change. */
export async function showPassword(request: PageRequest, refusal?: string) {
  const token = fieldText(request, 'token') || (request.url.searchParams.get('token') ?? '')
  const login = fieldText(request, 'login') || (request.url.searchParams.get('login') ?? '')
  return (
    <Narrow request={request} title="Set a password" refusal={refusal}>
      <Form request={request} action="/account/password">
        {token === '' ? (
          <>
            <LineInput
              label="Login or e-mail address"
              name="login"
              required
              autocomplete="username"
              value={login}
            />
            <LineInput
              label="Present password"
              type="password"
              name="password"
              required
              autocomplete="current-password"
            />
            <LineInput
              label="Code of your second factor, if you have one"
              name="totp"
              autocomplete="one-time-code"
            />
          </>
        ) : (
          <input type="hidden" name="token" value={token} />
        )}
        <NewPassword request={request} name="new_password" />
        <button type="submit">Set the password</button>
      </Form>
      {token !== '' && refusal !== undefined && (
        <p>
          <a href="/account/forgotten">Ask for another link</a>
        </p>
      )}
    </Narrow>
  )
}

export const sendPassword = behindForm(showPassword, async (request) => {
  const [token, password] = [fieldText(request, 'token'), fieldText(request, 'new_password')]
  await ask(
    request,
    setPassword,
    token === ''
      ? {
          login: fieldText(request, 'login'),
          password: fieldText(request, 'password'),
          new_password: password,
          totp: fieldText(request, 'totp'),
        }
      : { token, password },
  )
  return redirectTo('/login?set=1')
})

export async function showEmail(request: PageRequest, refusal?: string) {
  const token = fieldText(request, 'token') || (request.url.searchParams.get('token') ?? '')
  return (
    <Narrow request={request} title="Confirm your address" refusal={refusal}>
      <p>From then on you sign in with this address, and mails go there.</p>
      <Form request={request} action="/account/email">
        <input type="hidden" name="token" value={token} />
        <button type="submit">It is my address</button>
      </Form>
    </Narrow>
  )
}

export const sendEmail = behindForm(showEmail, async (request) => {
  await ask(request, confirmEmail, { token: fieldText(request, 'token') })
  return redirectTo('/login?set=1')
})
