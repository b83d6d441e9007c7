/** `npm start`: see HELP. */
import { runCommand } from './complaint.ts'
import { fireCrons } from './crons.ts'
import { introduce } from './first-administrator.ts'
import { readFlags, refuse } from './flags.ts'
import { startLocal } from './local-server.ts'

const HELP = `Runs Lacewing on this computer.

npm start -- [--port N] [--host H] [--persist-to DIR] [--minified]

  --port N           port to listen on, 0 for any free one (8787)
  --host H           address to listen on (127.0.0.1)
  --persist-to DIR   folder of the data (.wrangler/state)
  --minified         run the very code that is deployed, whose stack traces tell little

The settings of wrangler.toml may stand in the environment. On an empty folder of data,
ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY decide the first administrator; what is not
set is made up and shown once. Mails go into files, named here, that last until it stops.
`

// taken at once: npm may be gone before the server is up
const PARENT = process.ppid

runCommand(async () => {
  const { port, host, persistTo, minified } = readArguments()
  const server = await startLocal({
    port,
    host,
    persistTo,
    minified,
    // what an answer costs is worth seeing where it is developed
    vars: { ...process.env, SERVER_TIMING: process.env.SERVER_TIMING ?? 'on' },
    onCreated: (administrator) => process.stdout.write(`${introduce(administrator)}\n\n`),
  })
  const stopCrons = await fireCrons(server)
  untilTold(async () => {
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

/** Stops once: on a signal, or when npm is gone, which ends its shell but not what runs in that. */
function untilTold(stop: () => Promise<void>): void {
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event !== undefined && process.ppid !== PARENT) {
      stopOnce()
    }
  }, 500)
  let told = false
  const stopOnce = () => {
    clearInterval(watch)
    if (!told) {
      told = true
      runCommand(stop)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // the runtime's own listeners would end the process at once, with an error code
    process.removeAllListeners(signal)
    process.on(signal, stopOnce)
  }
}

function readArguments() {
  const flags = readFlags(HELP, {
    port: { type: 'string', default: '8787' },
    host: { type: 'string', default: '127.0.0.1' },
    'persist-to': { type: 'string', default: '.wrangler/state' },
    minified: { type: 'boolean', default: false },
  })
  const port = Number(flags.port)
  if (!/^\d+$/.test(flags.port) || port > 65_535) {
    refuse('--port must be a number from 0 to 65535.', HELP)
  }
  return { port, host: flags.host, persistTo: flags['persist-to'], minified: flags.minified }
}
