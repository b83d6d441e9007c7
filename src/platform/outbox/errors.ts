import type { Statement } from '../db/commit.ts'
import { errorFacts } from '../lib/log.ts'

/**
 * Thrown by the work of a row that did not succeed. The message is logged and stored, so it holds no address
 * and no text of users; `statements` are written with the outcome, if the row is still under the same claim.
 */
abstract class WorkError extends Error {
  readonly statements: readonly Statement[]

  constructor(message: string, statements: readonly Statement[] = []) {
    super(message)
    this.statements = statements
  }
}

/**
 * Thrown by the work of a row that is to be tried again: in `retryInSeconds`, or else after the delay of the
 * outbox.
 */
export class RetryError extends WorkError {
  override readonly name: string = 'RetryError'
  readonly retryInSeconds: number | undefined

  constructor(message: string, statements: readonly Statement[] = [], retryInSeconds?: number) {
    super(message, statements)
    this.retryInSeconds = retryInSeconds
  }
}

/** Thrown by the work of a row that no further attempt can complete: it is given up at once. */
export class FinalError extends WorkError {
  override readonly name: string = 'FinalError'
}

/** Thrown by work that did a part and is to go on at once: the attempt neither counts nor fails. */
export class UnfinishedWork extends WorkError {
  override readonly name = 'UnfinishedWork'
}

/** Errors of libraries may quote texts, so only their names are stored. */
export function describeError(error: unknown): string {
  const { name, message } = errorFacts(error)
  return error instanceof WorkError ? message : name
}

/** What the outcome of a failed row is written with. */
export function statementsOfError(error: unknown): readonly Statement[] {
  return error instanceof WorkError ? error.statements : []
}
