import { Fault } from '../../src/platform/faults/fault.ts'

/** What an attempt gives, or the number of its refusal. */
export function catchFaultCode<Result>(attempt: () => Result): Result | number {
  try {
    return attempt()
  } catch (error) {
    if (error instanceof Fault) {
      return error.code
    }
    throw error
  }
}
