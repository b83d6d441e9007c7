import * as z from 'zod'

/**
 * Every site setting: its meaning, form and default. Deployments set them under [vars] in wrangler.toml;
 * `npm start` also takes them from the environment.
 */
const catalogue = {
  SERVER_TIMING: toggle(
    'Tell the cost of each answer in a Server-Timing header; rows read hint at hidden bugs, so not in public.',
    false,
  ),
  REQUIRE_LOGIN: toggle(
    'Refuse anonymous callers everywhere but on version, login and the API description.',
    false,
  ),
  HIDE_EMAIL_DOMAINS: toggle('Cut logins at the @ sign for anonymous callers.', false),
  MAX_BODY_KB: whole('Largest JSON request body, in KB.', 1024, 1, 100_000),
  MAX_ATTACHMENT_KB: whole('Largest attachment, in KB of its bytes.', 10_240, 1, 32_768),
  LINK_CONTENT_TYPE: word(
    'Content type of attachments that are links to a code host.',
    'text/x-github-pull-request',
  ),
  LINK_HOSTS: text(
    'Code hosts, separated by commas, that link attachments may lead to.',
    'github.com',
  ),
  SEARCH_LIMIT: whole('Most bugs one search answers; also the default.', 10_000, 1, 10_000),
  USER_MATCH_LIMIT: whole('Most people one match string finds; also the default.', 1000, 1, 10_000),
  FLAG_ACTIVITY_MAX: whole(
    'Most entries one answer about flag activity holds; also the default.',
    10_000,
    1,
    10_000,
  ),
  USE_VISIBILITY_GROUPS: toggle(
    'Show people only to members of groups that may see one of their groups.',
    false,
  ),
  TOKEN_IDLE_DAYS: whole('Days without use after which a login token dies.', 7, 1, 3650),
  LOGIN_ATTEMPTS: whole('Wrong passwords before an account is locked for an address.', 5, 1, 1000),
  LOGIN_ATTEMPTS_PER_ADDRESS: whole(
    'Wrong passwords, over all accounts, before an address is locked out.',
    1000,
    1,
    1_000_000,
  ),
  LOGIN_LOCK_MINUTES: whole('How long wrong passwords are remembered.', 30, 1, 10_080),
  PASSWORD_MIN_LENGTH: whole('Fewest characters of a new password.', 8, 1, 128),
  PASSWORD_COMPLEXITY: toggle(
    'Refuse new passwords without four different words or a mix of cases, digits and signs.',
    false,
  ),
  THROTTLE_GUESSES: toggle('Slow down addresses that send many unknown keys or tokens.', true),
  REQUIRE_BUG_TYPE: toggle('Refuse new bugs that name no type.', false),
  DEFAULT_BUG_TYPE: word('Type of a bug when component and product set none.', 'defect'),
  DEFAULT_PRIORITY: word('Priority of a bug that names none.', '--'),
  DEFAULT_SEVERITY: word('Severity of a bug that names none.', '--'),
  DEFAULT_PLATFORM: word('Platform of a bug that names none.', 'Unspecified'),
  DEFAULT_OP_SYS: word('Operating system of a bug that names none.', 'Unspecified'),
  SUBMITTER_CHOOSES_PRIORITY: toggle('Let reporters without rights set the priority.', true),
  COLLAPSED_COMMENT_TAGS: text(
    'Tags, separated by commas, whose comments a bug shows only when asked for comments by name.',
    'obsolete, spam',
  ),
  LAST_VISIT_KEEP_DAYS: whole('Days for which visits of bugs are remembered.', 10, 1, 3650),
  USE_MARKDOWN: toggle('Read comments as Markdown, and let clients ask for it.', true),
  COMMENT_TAGGERS_GROUP: text(
    'Group whose members tag comments and search tags; nobody does while it is empty.',
    'editbugs',
  ),
  BOT_LOGINS: text(
    'Logins of bots, separated by commas, whom last_change_time_non_bot passes over.',
    '',
  ),
  MAINTAINER: text('Address of who runs this tracker, for everybody to see.', ''),
  MAIL_FROM: sender('Sender of mails; no mail is sent while it is empty.'),
  MAIL_NEVER_TO: text('Logins with this ending get no mail.', '.invalid'),
  BASE_URL: address('Address of the service in mails, without a slash at the end.'),
}

export type Settings = {
  readonly [Name in keyof typeof catalogue]: z.output<(typeof catalogue)[Name]>
}

const shape = z.object(catalogue)
const known = new WeakMap<object, Settings>()

/** The names that may stand under [vars] and, for `npm start`, in the environment. */
export function settingNames(): string[] {
  return Object.keys(catalogue)
}

/**
 * The settings of this deployment. An illegal value throws an error that names the setting, so that
 * the Worker stops instead of guessing.
 */
export function readSettings(env: object): Settings {
  const seen = known.get(env)
  if (seen !== undefined) {
    return seen
  }
  const parsed = shape.safeParse(env)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new Error(`Setting ${issue?.path.join('.')}: ${issue?.message}`)
  }
  known.set(env, parsed.data)
  return parsed.data
}

function toggle(description: string, fallback: boolean) {
  return z.coerce
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(z.enum(['on', 'off', 'true', 'false', '1', '0'], 'must be on or off'))
    .transform((value) => ['on', 'true', '1'].includes(value))
    .default(fallback)
    .describe(description)
}

function whole(description: string, fallback: number, least: number, most: number) {
  const range = `must be a whole number from ${least} to ${most}`
  return z.coerce
    .string()
    .regex(/^\d{1,9}$/, range)
    .transform(Number)
    .refine((value) => value >= least && value <= most, range)
    .default(fallback)
    .describe(description)
}

function sender(description: string) {
  return z
    .string()
    .regex(/^$|^[^\s<>]+@[^\s<>]+$|<[^\s<>]+@[^\s<>]+>$/, 'must be an e-mail address')
    .default('')
    .describe(description)
}

function word(description: string, fallback: string) {
  return z.coerce.string().min(1, 'must not be empty').default(fallback).describe(description)
}

function text(description: string, fallback: string) {
  return z.coerce.string().default(fallback).describe(description)
}

function address(description: string) {
  return z.coerce
    .string()
    .regex(
      /^(https?:\/\/[^\s?#]*[^\s?#/])?$/,
      'must be an http(s) address without a slash at the end',
    )
    .default('')
    .describe(description)
}
