/**
 * What D1 and R2 say when the storage fails and not the request: a disk that is full or read-only, an object
 * that restarts, a lost connection. The text is the only difference to other errors.
 */
const MESSAGES = [
  /internal error; reference = /,
  /SQLITE_(FULL|READONLY|IOERR|CANTOPEN|BUSY)/,
  /database or disk is full|readonly database|disk I\/O error|unable to open database/,
  /Network connection lost/,
  /storage caused object to be reset/,
  /D1 DB is overloaded|storage operation exceeded timeout/,
  /(get|put|head|delete|list): (We encountered an internal error|Unspecified error)/,
]

/** Whether the storage failed, so that the same request may succeed later. */
export function isStorageFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { message } = cause
    if (MESSAGES.some((pattern) => pattern.test(message))) {
      return true
    }
  }
  return false
}
