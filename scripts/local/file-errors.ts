import { CommandError } from '../command.ts'

/** What a user can do about the errors of the file system, by their codes. */
const REMEDIES: Readonly<Record<string, string>> = {
  EEXIST: 'is a file and not a folder: name another place with --persist-to.',
  ENOTDIR: 'leads through a file that is no folder: name another place with --persist-to.',
  ENOENT: 'cannot be created there: name another place with --persist-to.',
  EINVAL: 'cannot be created there: name another place with --persist-to.',
  ENAMETOOLONG: 'has a name that is too long: name another place with --persist-to.',
  ELOOP: 'is a link that leads to itself: name another place with --persist-to.',
  EACCES:
    'may not be read and written by this user: change its owner or permissions, or name another place with --persist-to.',
  EPERM: 'may not be written: change its permissions, or name another place with --persist-to.',
  EROFS:
    'is on a file system that is read-only: mount it writable, or name another place with --persist-to.',
  ENOSPC: 'is on a full disk: free some space, or name another place with --persist-to.',
  EDQUOT:
    'is beyond the disk quota of this user: free some space, or name another place with --persist-to.',
  EIO: 'is on a disk that fails: name another place with --persist-to.',
}

/** Turns an error about a file below `folder` into a CommandError with a remedy; keeps other errors. */
export function explainFileError(error: unknown, folder: string): unknown {
  const remedy = error instanceof CommandError ? undefined : REMEDIES[errorCode(error)]
  return remedy === undefined
    ? error
    : new CommandError(`The folder of the data, ${folder}, ${remedy}`)
}

/** The code of an error of the system; empty for other errors. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Turns an error of SQLite into a CommandError with a remedy; keeps other errors. */
export function explainDatabaseError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error instanceof CommandError) {
    return error
  }
  const { message } = error
  if (/SQLITE_FULL|database or disk is full/.test(message)) {
    return explainFileError(Object.assign(new Error(), { code: 'ENOSPC' }), folder)
  }
  if (/SQLITE_READONLY|readonly database/.test(message)) {
    return explainFileError(Object.assign(new Error(), { code: 'EPERM' }), folder)
  }
  if (/SQLITE_(CORRUPT|NOTADB)|malformed|not a database/.test(message)) {
    return describeDamage(folder, 'is damaged')
  }
  return error
}

/** The error about a database that cannot be used as it is. */
export function describeDamage(folder: string, problem: string): CommandError {
  return new CommandError(
    `The database of ${folder} ${problem}: put a copy of the folder back, or begin anew in another one with --persist-to.`,
  )
}
