import {
  codeRequired,
  codeWrong,
  newPasswordRequired,
  secondFactorRequired,
} from '../../../platform/access/faults.ts'
import { callOperation } from '../../../platform/http/operations/call-operation.ts'
import { beginSecondFactor } from '../../../tracker/users/account/begin-second-factor.ts'
import { signIn, signOut } from '../../../tracker/users/sessions/sign-in.ts'
import { ask, fieldText, orAgain, ownPath, type PageRequest, redirectTo } from '../page.ts'
import { Form, LineInput } from '../parts/form.tsx'
import { NoticeLine } from '../parts/refusal.tsx'
import { dropSession, keepSession } from '../session-cookie.ts'
import { CodeField, NewSecondFactor } from './enrolment.tsx'
import { type HandedOn, handOn, readHandedOn } from './handed-on.ts'
import { Narrow } from './narrow.tsx'

export async function showSignIn(request: PageRequest) {
  const target = ownPath(request.url.searchParams.get('return'))
  return <SignIn request={request} target={target} login="" />
}

/**
 * The same answer for an unknown login and for a wrong password; what was typed stays but for the password. Whoever
 * needs a code sends the password on in a form that only this service can read.
 */
export async function sendSignIn(request: PageRequest) {
  const { c } = request
  const target = ownPath(fieldText(request, 'return'))
  const handedOn = fieldText(request, 'handed_on')
  const step: HandedOn | null =
    handedOn === ''
      ? { login: fieldText(request, 'login').trim(), password: fieldText(request, 'password') }
      : await readHandedOn(request, handedOn)
  if (step === null) {
    return <SignIn request={request} target={target} login="" refusal={TOO_LATE} />
  }
  const { login, password } = step
  c.set('credentials', { login, password, keyInHeader: false })
  const totp = request.form.has('totp') ? fieldText(request, 'totp') : undefined
  c.set('parameters', { user_agent: c.req.header('user-agent') ?? '', totp })
  return orAgain(
    request,
    async () => {
      const { value } = (await callOperation(c, signIn)) as { value: string }
      keepSession(c, value)
      return c.redirect(target, 303)
    },
    (refusal, kind) => {
      switch (kind) {
        case newPasswordRequired:
          return redirectTo(`/account/password?login=${encodeURIComponent(login)}`)
        case codeRequired:
          return showCode({ request, target, step })
        case codeWrong:
          return showCode({ request, target, step, refusal })
        case secondFactorRequired:
          return showEnrolment({ request, target, step })
        default:
          return <SignIn request={request} target={target} login={login} refusal={refusal} />
      }
    },
  )
}

const TOO_LATE = 'That took too long. Sign in again.'

type StepProps = { request: PageRequest; target: string; step: HandedOn; refusal?: string }

/** Asks for the code of the second factor, of one that is being set up beside what the app has to be told. */
async function showCode({ request, target, step, refusal }: StepProps) {
  if (refusal === undefined) {
    request.c.status(200)
  }
  const { enrolment } = step
  const handedOn = await handOn(request, step)
  return (
    <Narrow request={request} title="Second factor" refusal={refusal}>
      {enrolment === undefined ? (
        <Form request={request} action="/login">
          <input type="hidden" name="handed_on" value={handedOn} />
          <input type="hidden" name="return" value={target} />
          <p>Type the code that your app shows, or one of your recovery codes.</p>
          <CodeField isFocused />
          <button type="submit">Sign in</button>
        </Form>
      ) : (
        <>
          <p>Your groups require a second factor to sign in.</p>
          <NewSecondFactor
            request={request}
            enrolment={enrolment}
            action="/login"
            handedOn={handedOn}
            target={target}
          />
        </>
      )}
    </Narrow>
  )
}

function showEnrolment({ request, target, step }: StepProps) {
  const parameters = { login: step.login, current_password: step.password }
  return orAgain(
    request,
    async () => {
      const enrolment = await ask(request, beginSecondFactor, parameters)
      return showCode({ request, target, step: { ...step, enrolment } })
    },
    (refusal) => <SignIn request={request} target={target} login={step.login} refusal={refusal} />,
  )
}

export async function sendSignOut(request: PageRequest) {
  await ask(request, signOut, {})
  dropSession(request.c)
  return request.c.redirect('/', 303)
}

type SignInProps = {
  request: PageRequest
  target: string
  login: string
  refusal?: string
}

function SignIn({ request, target, login, refusal }: SignInProps) {
  return (
    <Narrow request={request} title="Sign in" refusal={refusal}>
      {request.url.searchParams.has('set') && <NoticeLine>Done. Sign in with it.</NoticeLine>}
      <Form request={request} action="/login">
        <input type="hidden" name="return" value={target} />
        <LineInput
          label="Login or e-mail address"
          name="login"
          value={login}
          autocomplete="username"
          required
          autofocus
        />
        <LineInput
          label="Password"
          type="password"
          name="password"
          autocomplete="current-password"
          required
        />
        <button type="submit">Sign in</button>
      </Form>
      <p>
        <a href="/account/forgotten">Forgotten your password?</a>
        {request.ctx.settings.ALLOW_REGISTRATION && (
          <>
            {' '}
            · <a href="/account/new">New account</a>
          </>
        )}
      </p>
    </Narrow>
  )
}
