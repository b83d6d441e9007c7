import { newPasswordRequired } from '../../../platform/access/faults.ts'
import { callOperation } from '../../../platform/http/operations/call-operation.ts'
import { signIn, signOut } from '../../../tracker/users/sessions/sign-in.ts'
import { FormToken, Layout } from '../layout.tsx'
import { ask, field, orAgain, ownPath, type PageRequest, redirectTo } from '../page.ts'
import { Refusal } from '../parts/refusal.tsx'
import { dropSession, keepSession } from '../session-cookie.ts'

export async function showSignIn(request: PageRequest) {
  const target = ownPath(request.url.searchParams.get('return'))
  return <SignIn request={request} target={target} login="" />
}

/** The same answer for an unknown login and for a wrong password; what was typed stays but for the password. */
export async function sendSignIn(request: PageRequest) {
  const { c } = request
  const login = field(request, 'login').trim()
  c.set('credentials', { login, password: field(request, 'password'), keyInHeader: false })
  c.set('parameters', { user_agent: c.req.header('user-agent') ?? '' })
  const target = ownPath(field(request, 'return'))
  return orAgain(
    request,
    async () => {
      const { value } = (await callOperation(c, signIn)) as { value: string }
      keepSession(c, value)
      return c.redirect(target, 303)
    },
    (refusal, kind) =>
      kind === newPasswordRequired ? (
        redirectTo(`/account/password?login=${encodeURIComponent(login)}`)
      ) : (
        <SignIn request={request} target={target} login={login} refusal={refusal} />
      ),
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
    <Layout request={request} title="Sign in" isUnlisted>
      <div class="narrow">
        <h1>Sign in</h1>
        {request.url.searchParams.has('set') && (
          <p class="notice" role="status">
            Done. Sign in with it.
          </p>
        )}
        <Refusal message={refusal} />
        <form method="post" action="/login">
          <FormToken value={request.formToken} />
          <input type="hidden" name="return" value={target} />
          <label>
            Login or e-mail address
            <input name="login" value={login} autocomplete="username" required autofocus />
          </label>
          <label>
            Password
            <input type="password" name="password" autocomplete="current-password" required />
          </label>
          <button type="submit">Sign in</button>
        </form>
        <p>
          <a href="/account/forgotten">Forgotten your password?</a>
          {request.ctx.settings.ALLOW_REGISTRATION && (
            <>
              {' '}
              · <a href="/account/new">New account</a>
            </>
          )}
        </p>
      </div>
    </Layout>
  )
}
