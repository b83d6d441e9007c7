import { FinalError, RetryError } from '../outbox/errors.ts'

/** What became of a mail: refused for good, or not sent but perhaps accepted later. */
export type MailOutcome = 'accepted' | 'refused' | 'unsent'

/** Thrown when the mail service may accept some mails later. The message names no address. */
export class UnsentMailError extends RetryError {
  override readonly name = 'UnsentMailError'
}

/** Thrown when some mails were refused for good, and all others accepted. The message names no address. */
export class RefusedMailError extends FinalError {
  override readonly name = 'RefusedMailError'
}

/** Throws unless a mail was accepted; `subject` names it in the message. No mail at all is no failure. */
export function throwUnlessAccepted(outcome: MailOutcome | undefined, subject: string): void {
  if (outcome === 'unsent') {
    throw new UnsentMailError(`${subject} was not accepted`)
  }
  if (outcome === 'refused') {
    throw new RefusedMailError(`${subject} was refused for good`)
  }
}
