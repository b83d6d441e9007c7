/** `npm start`: see HELP. */

import {
  type AdministratorChoice,
  describeAdministrator,
  describeIgnoredVariables,
  describeReset,
} from './administrator/first-administrator.ts'
import { describeBasePath } from './base-path.ts'
import { readBuildVersion } from './build-version.ts'
import { CommandError, runCommand } from './command.ts'
import { exitWithUsage, parseFlags } from './flags.ts'
import { type HostProcess, type RunningHost, startHost } from './local/host-process.ts'
import { lockState, type StateLock } from './local/lock.ts'
import {
  emptyTemporaryFolder,
  flagsOfFolder,
  openStateFolder,
  USUAL_FOLDER,
} from './local/state.ts'

const HELP = `Runs Lacewing on this computer.

npm start -- [--port N] [--host H] [--persist-to DIR] [--minified] [--version]

  --port N           port to listen on, 0 for any free one (8787)
  --host H           address to listen on (127.0.0.1)
  --persist-to DIR   folder of the data (.wrangler/state)
  --minified         run the minified code as deployed, whose stack traces are hard to read
  --version          print the version, which is that of the commit, and end

The environment and .dev.vars may override the settings of wrangler.toml. With an empty data
folder, ADMIN_LOGIN, ADMIN_PASSWORD and ADMIN_API_KEY in the environment set the first
administrator; what is not set is generated and shown once. With MAIL_FROM and without
SMTP_URL, mails go to files, which the log names and which last until the server ends.
`

// read at once, because npm may exit before the server is ready
const PARENT = process.ppid

let host: HostProcess | null = null
let lock: StateLock | null = null
let isStopping = false

// first of all, because a signal may arrive at any time
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, stopOnce)
}
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => process.ppid !== PARENT && stopOnce(), 500).unref()
}

runCommand(async () => {
  const { port, host: address, persistTo, minified, version } = readArguments()
  if (version) {
    const build = readBuildVersion()
    process.stdout.write(
      build === null
        ? 'Lacewing of an unknown commit: this copy has no repository, or there is no Git to read it.\n'
        : `Lacewing ${build.version}, commit ${build.commit}\n`,
    )
    process.exit(0)
  }
  const state = openStateFolder(persistTo)
  lock = lockState(state, 'npm start')
  emptyTemporaryFolder(state)
  host = startHost(state, { port, host: address, persistTo, minified })
  try {
    const server = await waitForStart(host)
    lock.publish(server.url)
    process.stdout.write(describeStart(server, address, state.folder))
    await host.ended
    throw new CommandError('The runtime ended unexpectedly. Run npm start again.')
  } catch (error) {
    if (!isStopping) {
      lock.release()
      throw error
    }
  }
})

/** Shows the credentials of a new administrator even when the start fails later, as they exist only once. */
async function waitForStart(starting: HostProcess): Promise<RunningHost> {
  try {
    return await starting.ready
  } catch (error) {
    const created = starting.created()
    if (created !== null) {
      process.stdout.write(`${describeAdministrator(created)}\n`)
    }
    throw error
  }
}

/** Ends the server and this process: on a signal, or when npm has exited without ending this process. */
function stopOnce(): void {
  if (!isStopping) {
    isStopping = true
    runCommand(async () => {
      await host?.stop()
      lock?.release()
      process.exit(0)
    })
  }
}

/** The address of the proxy where there is one: nobody reaches that of the runtime from outside a container. */
function describeStart(
  { url, baseUrl, administrators, created }: RunningHost,
  address: string,
  folder: string,
): string {
  const home = baseUrl || url
  const place = `${address.includes(':') ? `[${address}]` : address}:${new URL(url).port || 80}`
  const reset = describeReset(...flagsOfFolder(folder))
  const lines = [
    `Lacewing       ${home}`,
    ...(home === `http://${place}` ? [] : [`Listens on     ${place}`]),
    `Data           ${folder}`,
    `Sign in        ${describeSignIn(administrators, created, reset)}`,
    `Documentation  ${home}/docs`,
  ]
  const ignored = created === null ? describeIgnoredVariables(process.env, reset) : null
  const warnings = [ignored, describeBasePath(baseUrl)].filter((warning) => warning !== null)
  return `${[...lines, ...warnings].join('\n')}\n\n`
}

function describeSignIn(
  administrators: string[],
  created: AdministratorChoice | null,
  reset: string,
): string {
  if (created === null) {
    return `${administrators.join(', ')} (lost the password or key? ${reset})`
  }
  return describeAdministrator(created, `${created.login}, a new administrator`)
}

function readArguments() {
  const flags = parseFlags(HELP, {
    port: { type: 'string', default: '8787' },
    host: { type: 'string', default: '127.0.0.1' },
    'persist-to': { type: 'string', default: USUAL_FOLDER },
    minified: { type: 'boolean', default: false },
    version: { type: 'boolean', default: false },
  })
  const port = Number(flags.port)
  if (!/^\d+$/.test(flags.port) || port > 65_535) {
    exitWithUsage('--port must be a number from 0 to 65535.', HELP)
  }
  const { host, minified, version } = flags
  return { port, host, persistTo: flags['persist-to'], minified, version }
}
