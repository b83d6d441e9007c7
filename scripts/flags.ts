import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Parses the flags of a command. `--help` prints the help; an unknown flag exits with code 2. */
export function parseFlags<Flags extends ParseArgsOptionsConfig>(help: string, options: Flags) {
  return parse(help, options, false).values
}

/** The same for a command that is about one thing, which stands without a name: `npm run export -- TO`. */
export function parseOperand<Flags extends ParseArgsOptionsConfig>(
  help: string,
  name: string,
  options: Flags,
) {
  const { values, positionals } = parse(help, options, true)
  const [operand, ...others] = positionals
  if (operand === undefined || others.length > 0) {
    return exitWithUsage(
      others.length > 0 ? `Only one ${name} is possible.` : `${name} is missing.`,
      help,
    )
  }
  return { operand, flags: values }
}

function parse<Flags extends ParseArgsOptionsConfig>(
  help: string,
  options: Flags,
  allowPositionals: boolean,
) {
  const args = readArguments(help, options)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help)
    process.exit(0)
  }
  try {
    const parsed = parseArgs({ args, options, allowPositionals, tokens: true })
    const empty = parsed.tokens.find((token) => token.kind === 'option' && token.value === '')
    // as from a variable that is not set
    return empty?.kind === 'option' ? exitWithUsage(`${empty.rawName} is empty.`, help) : parsed
  } catch (error) {
    return exitWithUsage(error instanceof Error ? error.message : String(error), help)
  }
}

/** Prints an error with the help and exits with code 2. */
export function exitWithUsage(message: string, help: string): never {
  process.stderr.write(`${message}\n\n${help}`)
  process.exit(2)
}

/**
 * The arguments of the command. Without `--` before them npm keeps flags to itself: it passes their names in
 * the environment, with their values only after a `=`, and other values as arguments without names.
 */
function readArguments(help: string, options: ParseArgsOptionsConfig): string[] {
  const args = process.argv.slice(2)
  const named: string[] = []
  const withoutValue: string[] = []
  for (const [name, { type }] of Object.entries(options)) {
    const value = process.env[`npm_config_${name.replaceAll('-', '_')}`]
    if (value === undefined || value === '') {
      continue
    }
    if (type === 'boolean') {
      named.push(...(value === 'true' ? [`--${name}`] : []))
    } else if (value === 'true') {
      withoutValue.push(name)
    } else {
      named.push(`--${name}=${value}`)
    }
  }
  const [first] = withoutValue
  const [value] = args
  if (withoutValue.length === 1 && value !== undefined && !value.startsWith('-')) {
    return [...named, `--${first}=${value}`, ...args.slice(1)]
  }
  if (first !== undefined) {
    exitWithUsage(
      `npm does not pass --${withoutValue.join(', --')} on: write -- before the flags.`,
      help,
    )
  }
  return [...named, ...args]
}
