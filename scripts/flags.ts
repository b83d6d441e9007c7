import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Parses the flags of a command. `--help` prints the help; an unknown flag exits with code 2. */
export function parseFlags<Flags extends ParseArgsOptionsConfig>(help: string, options: Flags) {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help)
    process.exit(0)
  }
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    return exitWithUsage(error instanceof Error ? error.message : String(error), help)
  }
}

/** Prints an error with the help and exits with code 2. */
export function exitWithUsage(message: string, help: string): never {
  process.stderr.write(`${message}\n\n${help}`)
  process.exit(2)
}
