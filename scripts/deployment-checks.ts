import { isPublicHost } from '../src/platform/lib/public-host.ts'
import { readSettings, settingNames, WrongSetting } from '../src/platform/settings/settings.ts'
import { CommandError } from './command.ts'
import { lineOf } from './settings-file.ts'
import type { WranglerToml } from './wrangler-toml.ts'

/** Settings and where they are written: `own` are those of the tracker's own file, which count more. */
type WrittenSettings = {
  file: string
  text: string
  own: Record<string, string>
  toml: WranglerToml
}

type Rule = { isMet: (value: string) => boolean; allowed: string }

/** Of queues and buckets, and of the Worker, which is a label of a host name at workers.dev. */
const MAX_NAME = 63

/** https://developers.cloudflare.com/workers/runtime-apis/tcp-sockets#considerations */
const SMTP_PORT = 25

const HYPHENATED = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const HOST_NAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/

/** What the file may say besides settings. */
const PLACES = ['WORKER', 'DATABASE', 'BUCKET', 'DOMAIN'] as const

/**
 * Refuses what the platform would refuse half-way, or take and never serve, with the line where it is written. No
 * request is sent before.
 */
export function assertDeployable(
  written: WrittenSettings,
  vars: Record<string, string>,
  secrets: Record<string, string>,
): void {
  assertKnownNames(written)
  const rules = rulesOfPlaces(written.toml)
  for (const name of PLACES) {
    const value = written.own[name]
    // an empty name stands for the usual one
    const isUsual = value === undefined || (value === '' && name !== 'DOMAIN')
    if (!(isUsual || rules[name].isMet(value))) {
      throw wrong(written, name, rules[name].allowed)
    }
  }
  const { SMTP_URL } = readOrRefuse(written, { ...vars, ...secrets })
  if (SMTP_URL?.port === SMTP_PORT) {
    throw wrong(
      written,
      'SMTP_URL',
      `must have another port than ${SMTP_PORT}, to which no Worker connects: mail servers take mails to send on at 587 (smtp:) or 465 (smtps:)`,
    )
  }
  if (SMTP_URL !== null && !isPublicHost(SMTP_URL.host.replace(/.*:.*/, '[$&]'))) {
    throw wrong(written, 'SMTP_URL', 'must lead to a public host: no Worker connects to another')
  }
}

function assertKnownNames(written: WrittenSettings): void {
  const { own, toml } = written
  const known = new Set<string>([...PLACES, ...settingNames(), ...Object.keys(toml.vars)])
  const unknown = Object.keys(own).find((name) => !known.has(name))
  if (unknown !== undefined) {
    throw wrong(
      written,
      unknown,
      `is no setting. wrangler.toml lists the settings; besides there are ${PLACES.join(', ')} and SMTP_URL`,
    )
  }
}

/** The names of queues begin with that of the Worker, so that it has to be shorter. */
function rulesOfPlaces({ name, queues }: WranglerToml): Record<(typeof PLACES)[number], Rule> {
  const longest = Math.max(...queues.consumers.map(({ queue }) => queue.length))
  const most = MAX_NAME - (longest - name.length)
  const signs = 'lower-case letters, digits and, between them, hyphens'
  return {
    WORKER: {
      isMet: (value) => HYPHENATED.test(value) && value.length <= most,
      allowed: `must have 1 to ${most} ${signs}: the queues have longer names that begin with it`,
    },
    DATABASE: {
      isMet: (value) => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(value),
      allowed: 'must have letters, digits, hyphens and underscores, the first a letter or digit',
    },
    BUCKET: {
      isMet: (value) => HYPHENATED.test(value) && value.length >= 3 && value.length <= MAX_NAME,
      allowed: `must have 3 to ${MAX_NAME} ${signs}`,
    },
    DOMAIN: {
      isMet: (value) => HOST_NAME.test(value) && value.length <= 253,
      allowed: 'must be a host name, such as bugs.example.org',
    },
  }
}

function readOrRefuse(written: WrittenSettings, values: Record<string, string>) {
  try {
    return readSettings({ ...values, SECRETS_KEY: 'a secret that nobody uses' })
  } catch (error) {
    throw error instanceof WrongSetting ? wrong(written, error.setting, error.expected) : error
  }
}

/** Without the value, which may be a secret. */
function wrong({ file, text, own }: WrittenSettings, setting: string, what: string): CommandError {
  return Object.hasOwn(own, setting)
    ? new CommandError(`${file}: line ${lineOf(text, setting)}, ${setting}, ${what}.`)
    : new CommandError(`wrangler.toml: ${setting} ${what}.`)
}
