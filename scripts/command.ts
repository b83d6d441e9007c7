/** A failure that the user can correct: its message is shown without a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** What a failed command has left, such as a runtime that starts again, does not keep it alive for longer. */
const LAST_MS = 5000

/** Runs a command. A failure is printed, and the process ends with code 1 once it is idle, or soon. */
export function runCommand(command: () => Promise<void>): void {
  outliveReaders()
  command().catch((error: unknown) => {
    const text = error instanceof CommandError ? error.message : formatError(error)
    process.stderr.write(`${text}\n`)
    process.exitCode = 1
    setTimeout(() => process.exit(), LAST_MS).unref()
  })
}

/** Makes this process go on when what reads its output ends before it, as `head` does. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', ignoreClosed)
  }
}

function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') {
    throw error
  }
}

/** The stack of an unexpected error. */
export function formatError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
