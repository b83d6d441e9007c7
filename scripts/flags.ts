import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** The flags of a command. `--help` prints the help and ends; what is not understood ends with code 2. */
export function readFlags<Flags extends ParseArgsOptionsConfig>(help: string, options: Flags) {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help)
    process.exit(0)
  }
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), help)
  }
}

/** Ends a command that was called in a way that means nothing. */
export function refuse(message: string, help: string): never {
  process.stderr.write(`${message}\n\n${help}`)
  process.exit(2)
}
