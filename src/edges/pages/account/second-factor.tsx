import { beginSecondFactor } from '../../../tracker/users/account/begin-second-factor.ts'
import { removeSecondFactor } from '../../../tracker/users/account/remove-second-factor.ts'
import {
  confirmSecondFactor,
  getSecondFactor,
} from '../../../tracker/users/account/second-factor.ts'
import { secondFactorIsOn } from '../../../tracker/users/faults.ts'
import { ask, behindForm, fieldText, orAgain, type PageRequest, redirectTo } from '../page.ts'
import { Action, Form } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { NewSecondFactor } from './enrolment.tsx'
import { type Enrolment, handOn, readHandedOn } from './handed-on.ts'
import { PresentPassword, sendingTab, type Tab, TabFrame } from './tab.tsx'

const ACTION = '/account/second-factor'

/** What a person shows besides the password. */
export const secondFactorTab: Tab = {
  show: showSecondFactor,
  send: {
    begin: behindForm(showSecondFactor, async (request) => {
      const current_password = fieldText(request, 'current_password')
      return showEnrolment(request, await ask(request, beginSecondFactor, { current_password }))
    }),
    confirm,
    ...sendingTab('second-factor', showSecondFactor, {
      remove: (request) =>
        ask(request, removeSecondFactor, {
          current_password: fieldText(request, 'current_password'),
        }),
    }),
  },
}

/** A wrong code shows again what the app has to be told. */
async function confirm(request: PageRequest) {
  const handedOn = await readHandedOn(request, fieldText(request, 'handed_on'))
  return orAgain(
    request,
    async () => {
      await ask(request, confirmSecondFactor, { totp: fieldText(request, 'totp') })
      return redirectTo('/account?tab=second-factor&done=1')
    },
    (refusal, kind) => {
      if (kind === secondFactorIsOn) {
        // the form has arrived before
        return redirectTo('/account?tab=second-factor')
      }
      return handedOn?.enrolment === undefined
        ? showSecondFactor(request, refusal)
        : showEnrolment(request, handedOn.enrolment, refusal)
    },
  )
}

async function showEnrolment(request: PageRequest, enrolment: Enrolment, refusal?: string) {
  const handedOn = await handOn(request, { login: '', password: '', enrolment })
  return (
    <TabFrame request={request} tab="second-factor">
      <Refusal message={refusal} />
      <NewSecondFactor
        request={request}
        enrolment={enrolment}
        action={ACTION}
        handedOn={handedOn}
      />
    </TabFrame>
  )
}

async function showSecondFactor(request: PageRequest, refusal?: string) {
  const { enabled, since, recovery_codes_left, is_required } = await ask(
    request,
    getSecondFactor,
    {},
  )
  return (
    <TabFrame request={request} tab="second-factor">
      <Refusal message={refusal} />
      {enabled ? (
        <p>
          It is on since <Moment at={since ?? ''} />, with {recovery_codes_left} recovery codes
          left. For new codes or another device, remove it and set it up anew.
        </p>
      ) : (
        <p>
          With a second factor, signing in takes your password and a code that an app on your phone
          makes anew every half minute. API keys go on without one.
        </p>
      )}
      {is_required && <p>Your groups require one.</p>}
      <Form request={request} action={ACTION}>
        <div class="fields">
          <PresentPassword request={request} />
        </div>
        <Action act={enabled ? 'remove' : 'begin'} class={enabled ? 'quiet' : undefined}>
          {enabled ? 'Remove it' : 'Set it up'}
        </Action>
      </Form>
    </TabFrame>
  )
}
