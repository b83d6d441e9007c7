/** A failure that the user can correct: its message is shown without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Runs a command. A failure is printed, and the process ends with code 1 once it is idle. */
export function runCommand(command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    const text = error instanceof CommandError ? error.message : formatError(error)
    process.stderr.write(`${text}\n`)
    process.exitCode = 1
  })
}

/** The stack of an error that nobody foresaw. */
export function formatError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
