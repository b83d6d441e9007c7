/** `npm start`: see HELP. */
import { runCommand } from './command.ts'
import { scheduleCrons } from './crons.ts'
import { describeAdministrator } from './first-administrator.ts'
import { exitWithUsage, parseFlags } from './flags.ts'
import { startLocalServer } from './local-server.ts'

const HELP = `Runs Lacewing on this computer.

npm start -- [--port N] [--host H] [--persist-to DIR] [--minified]

  --port N           port to listen on, 0 for any free one (8787)
  --host H           address to listen on (127.0.0.1)
  --persist-to DIR   folder of the data (.wrangler/state)
  --minified         run the minified code as deployed, whose stack traces are hard to read

The environment may override the settings of wrangler.toml. With an empty data folder,
ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY set the first administrator; what is not set
is generated and shown once. Mails go to files, named in the log and deleted when it stops.
`

// read at once, because npm may exit before the server is ready
const PARENT = process.ppid

runCommand(async () => {
  const { port, host, persistTo, minified } = readArguments()
  const server = await startLocalServer({
    port,
    host,
    persistTo,
    minified,
    // any client could send the header of the platform
    vars: {
      ...process.env,
      CLIENT_ADDRESS_HEADER: process.env.CLIENT_ADDRESS_HEADER ?? '',
    },
    onCreated: (administrator) =>
      process.stdout.write(`${describeAdministrator(administrator)}\n\n`),
  })
  const stopCrons = await scheduleCrons(server)
  stopOnSignal(async () => {
    stopCrons()
    await server.stop()
    process.exit(0)
  })
  const { origin } = server.url
  process.stdout.write(`Lacewing listens on ${origin} and keeps its data in ${persistTo}. Try:

  curl ${origin}/rest/version
  bugzilla --bugzilla ${origin}/rest query --product TestProduct

`)
})

/** Calls `stop` once: on a signal, or when npm has exited without ending this process. */
function stopOnSignal(stop: () => Promise<void>): void {
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event !== undefined && process.ppid !== PARENT) {
      stopOnce()
    }
  }, 500)
  let isStopping = false
  const stopOnce = () => {
    clearInterval(watch)
    if (!isStopping) {
      isStopping = true
      runCommand(stop)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // the listeners of the runtime would end the process at once with an error code
    process.removeAllListeners(signal)
    process.on(signal, stopOnce)
  }
}

function readArguments() {
  const flags = parseFlags(HELP, {
    port: { type: 'string', default: '8787' },
    host: { type: 'string', default: '127.0.0.1' },
    'persist-to': { type: 'string', default: '.wrangler/state' },
    minified: { type: 'boolean', default: false },
  })
  const port = Number(flags.port)
  if (!/^\d+$/.test(flags.port) || port > 65_535) {
    exitWithUsage('--port must be a number from 0 to 65535.', HELP)
  }
  return { port, host: flags.host, persistTo: flags['persist-to'], minified: flags.minified }
}
