/** Something the person at the keyboard can put right: shown as it stands, without a stack. */
export class Complaint extends Error {
  override readonly name = 'Complaint'
}

/** Runs a command of this project. What goes wrong is told, and the process ends with code 1 once it is idle. */
export function runCommand(command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    const text = error instanceof Complaint ? error.message : inspected(error)
    process.stderr.write(`${text}\n`)
    process.exitCode = 1
  })
}

function inspected(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
