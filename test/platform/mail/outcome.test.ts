import { expect, test } from 'vitest'
import { throwUnlessAccepted } from '../../../src/platform/mail/outcome.ts'
import { FinalError, RetryError } from '../../../src/platform/outbox/errors.ts'

test.each(['accepted', undefined] as const)('the outcome %s is no failure', (outcome) => {
  expect(throwUnlessAccepted(outcome, 'the mail')).toBeUndefined()
})

test.each([
  ['unsent', 'tried again', RetryError, 'the mail was not accepted'],
  ['refused', 'given up', FinalError, 'the mail was refused for good'],
] as const)(
  'work whose mail was %s is %s, for a reason that names the mail',
  (outcome, _, AnyError, reason) => {
    const fail = () => throwUnlessAccepted(outcome, 'the mail')
    expect(fail).toThrow(AnyError)
    expect(fail).toThrow(reason)
  },
)
