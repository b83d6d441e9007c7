import * as z from 'zod'
import { perObject } from '../lib/isolate.ts'
import {
  address,
  anyText,
  contact,
  header,
  headerPrefix,
  perMinute,
  pushRules,
  segment,
  sender,
  smtpServer,
  toggle,
  whole,
  word,
} from './forms.ts'

/**
 * Every setting of the site but the secret ones: its meaning, form and default. Deployments set them under [vars] in
 * wrangler.toml; `npm start` also reads them from the environment.
 */
const declared = {
  SERVER_TIMING: toggle(
    'Report the cost of each response in a Server-Timing header, also to others than administrators; it hints at hidden bugs, so not in public.',
    false,
  ),
  REQUIRE_LOGIN: toggle(
    'Reject anonymous callers, except for version, login and the API description.',
    false,
  ),
  HIDE_EMAIL_DOMAINS: toggle(
    'Show anonymous callers only the part of a login before the @ sign.',
    false,
  ),
  MAX_BODY_KB: whole('Maximum size of a JSON request body, in KB.', 1024, 1, 100_000),
  MAX_ATTACHMENT_KB: whole(
    'Maximum size of the decoded bytes of an attachment, in KB.',
    10_240,
    1,
    32_768,
  ),
  LINK_CONTENT_TYPE: word(
    'Content type of attachments that are links to a code host.',
    'text/x-github-pull-request',
  ),
  LINK_HOSTS: anyText(
    'Comma-separated code hosts that link attachments may point to.',
    'github.com',
  ),
  SEARCH_LIMIT: whole(
    'Maximum number of bugs in one search result; also the default.',
    10_000,
    1,
    10_000,
  ),
  SEARCH_LIMIT_ANONYMOUS: whole(
    'Maximum number of bugs in one search result of an anonymous caller; SEARCH_LIMIT holds as well.',
    10_000,
    1,
    10_000,
  ),
  SEARCH_SCAN_BUGS: whole(
    'Maximum number of bugs that one search looks at without an index, each once for every criterion or word.',
    100_000,
    1000,
    10_000_000,
  ),
  SEARCH_MILLISECONDS: whole(
    'Maximum time that the database works for the searches of one request, as it measures it; a part that has begun is finished.',
    500,
    50,
    60_000,
  ),
  USER_MATCH_LIMIT: whole(
    'Maximum number of people that one match string finds; also the default.',
    1000,
    1,
    10_000,
  ),
  FLAG_ACTIVITY_MAX: whole(
    'Maximum number of entries in one response with flag activity; also the default.',
    10_000,
    1,
    10_000,
  ),
  USE_VISIBILITY_GROUPS: toggle(
    'Show people only to members of groups that may see one of their groups.',
    false,
  ),
  TOKEN_IDLE_DAYS: whole(
    'Days without use after which a login token or a session of pages expires.',
    7,
    1,
    3650,
  ),
  LOGIN_ATTEMPTS: whole(
    'Number of wrong passwords that locks an account for an address.',
    5,
    1,
    1000,
  ),
  LOGIN_ATTEMPTS_PER_ADDRESS: whole(
    'Number of wrong passwords, over all accounts, that locks out an address.',
    1000,
    1,
    1_000_000,
  ),
  LOGIN_LOCK_MINUTES: whole('Minutes for which a wrong password counts.', 30, 1, 10_080),
  TOTP_REQUIRED_GROUPS: anyText(
    'Comma-separated groups whose members need a second factor to log in with a password.',
    '',
  ),
  ALLOW_REGISTRATION: toggle('Let people make accounts themselves, by a link in a mail.', false),
  REGISTRATION_DOMAINS: anyText(
    'Comma-separated domains whose addresses may register, without those below them; all may while it is empty.',
    '',
  ),
  PASSWORD_MIN_LENGTH: whole('Minimum length of a new password.', 8, 1, 128),
  PASSWORD_COMPLEXITY: toggle(
    'Reject new passwords without four different words or a mix of cases, digits and signs.',
    false,
  ),
  CLIENT_ADDRESS_HEADER: header(
    'Header in which the platform or a proxy names the address of a client; while it is empty, all are one, and limits per minute count only people.',
    'CF-Connecting-IP',
  ),
  THROTTLE_GUESSES: toggle('Limit the rate of unknown keys and tokens per address.', true),
  ANONYMOUS_READS_PER_MINUTE: perMinute(
    'Reads in a minute by one address without a login; 0 for no limit. Change the limit of the binding ANONYMOUS_READS with it.',
    1200,
  ),
  READS_PER_MINUTE: perMinute(
    'Reads in a minute by one person; 0 for no limit. Change the limit of the binding READS with it.',
    6000,
  ),
  WRITES_PER_MINUTE: perMinute(
    'Writes in a minute by one person, or by one address without a login; 0 for no limit. Change the limit of the binding WRITES with it.',
    1200,
  ),
  LOGINS_PER_MINUTE: perMinute(
    'Requests with a password in a minute by one address; 0 for no limit. Change the limit of the binding LOGINS with it.',
    120,
  ),
  PUBLIC_CACHE_SECONDS: whole(
    'Seconds for which browsers and shared caches may keep what everybody sees, although it may have been hidden meanwhile; 0 makes them ask each time.',
    0,
    0,
    86_400,
  ),
  REQUIRE_BUG_TYPE: toggle('Reject new bugs without a type.', false),
  DEFAULT_BUG_TYPE: word('Default type of new bugs when component and product set none.', 'defect'),
  DEFAULT_PRIORITY: word('Default priority of new bugs.', '--'),
  DEFAULT_SEVERITY: word('Default severity of new bugs.', '--'),
  DEFAULT_PLATFORM: word('Default platform of new bugs.', 'Unspecified'),
  DEFAULT_OP_SYS: word('Default operating system of new bugs.', 'Unspecified'),
  SUBMITTER_CHOOSES_PRIORITY: toggle('Let reporters without rights set the priority.', true),
  COLLAPSED_COMMENT_TAGS: anyText(
    'Comma-separated tags of comments that bugs leave out unless a request names the comments field.',
    'obsolete, spam',
  ),
  LAST_VISIT_KEEP_DAYS: whole('Days for which visits of bugs are kept.', 10, 1, 3650),
  ERROR_DOCUMENTATION: toggle(
    'Add the address of its documentation to each error object, as the member `documentation`.',
    false,
  ),
  ALIAS_AS_LIST: toggle('Answer the alias of a bug as a list, which some clients demand.', false),
  GROUP_FLAGS_AS_BOOLEANS: toggle(
    'Answer is_active and is_bug_group of a group as true or false, which some clients demand, instead of 1 or 0.',
    false,
  ),
  COUNT_TOTALS_UP_TO: whole(
    'Number of bugs up to which a tracker counts those of all pages for X-Total-Count of every search with a limit; a larger one counts on request. 0 for never unasked.',
    2000,
    0,
    1_000_000_000,
  ),
  USE_MARKDOWN: toggle('Treat comments as Markdown, and let clients request it.', true),
  COMMENT_TAGGERS_GROUP: anyText(
    'Group whose members may tag comments and search tags; nobody may while it is empty.',
    'editbugs',
  ),
  BOT_LOGINS: anyText(
    'Comma-separated logins of bots, whose changes last_change_time_non_bot ignores.',
    '',
  ),
  WEBHOOK_ALLOW_PRIVATE: toggle(
    'Let webhooks call http and local addresses, for development only.',
    false,
  ),
  WEBHOOK_ERROR_LIMIT: whole(
    'Failed attempts of one delivery that disable its webhook; 0 disables none.',
    100,
    0,
    100,
  ),
  REMINDER_LIMIT: whole('Reminders of one person that are still to be sent.', 1000, 1, 5000),
  BACKUP_DAYS: whole(
    'Days for which backups in the bucket are kept: every day what has changed, every week everything; 0 for none.',
    0,
    0,
    3650,
  ),
  CODEHOST_EVENTS: toggle('Accept pushes and pull requests that a code host announces.', true),
  CODEHOST_SEGMENT: segment(
    'Path segment below /rest for the events of the code host; codehost and github serve as well.',
    'codehost',
  ),
  CODEHOST_BOT_GROUP: word(
    'Group whose direct members own the keys with which the code host signs its events.',
    'codehost-webhook-bot',
  ),
  PUSH_COMMENT_BRANCH_PREFIX: toggle(
    'Begin the quoted line of a commit with its branch in square brackets.',
    false,
  ),
  PUSH_STATUS_FLAGS: pushRules(
    'JSON: repositories, their branches, and the status flag and milestone of bugs that a push there resolves.',
  ),
  MAINTAINER: anyText('Public address of the operator of this tracker.', ''),
  SECURITY_CONTACT: contact(
    'Where to report a weakness of this site, for security.txt: https:, mailto: or tel:; without it there is no such file.',
  ),
  SECURITY_POLICY: address('Address of the rules for such reports, for security.txt.'),
  MAIL_FROM: sender('Sender of mails; no mail is sent while it is empty.'),
  MAIL_NEVER_TO: anyText('Logins with this ending get no mail.', '.invalid'),
  MAIL_HEADER_PREFIX: headerPrefix(
    'Beginning of the headers of mails by which filters sort them.',
    'X-Tracker-',
  ),
  GLOBAL_WATCHERS: anyText(
    'Comma-separated logins of accounts that get mail about all bugs that they see.',
    '',
  ),
  SILENT_USERS: anyText('Comma-separated logins of accounts whose changes cause no mail.', ''),
  BASE_URL: address('Address of the service in mails, without a slash at the end.'),
}

/**
 * Settings that hold passwords. Deployments store them as secrets of the Worker, which [vars] may not name too;
 * no answer contains them.
 */
const declaredSecrets = {
  SMTP_URL: smtpServer(
    'Mail server, smtp://user:password@host:587 or smtps://user:password@host:465; the mail service of the platform while it is empty.',
  ),
}

type PublicSettings = {
  readonly [Name in keyof typeof declared]: z.output<(typeof declared)[Name]>
}

export type Settings = PublicSettings & {
  readonly [Name in keyof typeof declaredSecrets]: z.output<(typeof declaredSecrets)[Name]>
}

const shape = z.object({ ...declared, ...declaredSecrets })

/** The names of all settings, secret ones included. */
export function settingNames(): string[] {
  return Object.keys(shape.shape)
}

/** The names of the settings that administrators may see. */
export function publicSettingNames(): (keyof PublicSettings)[] {
  return Object.keys(declared) as (keyof PublicSettings)[]
}

/** The settings that administrators may see, with what each means. */
export function publicSettings(settings: Settings) {
  return publicSettingNames().map((name) => {
    const value = settings[name]
    return {
      name,
      value: typeof value === 'object' ? JSON.stringify(value) : String(value),
      meaning: declared[name].description ?? '',
    }
  })
}

/** An illegal value, which the message does not tell because it may be a secret. */
export class WrongSetting extends Error {
  readonly setting: string
  /** What would be right, such as `must be on or off`. */
  readonly expected: string

  constructor(setting: string, expected: string) {
    super(`Setting ${setting}: ${expected}`)
    this.setting = setting
    this.expected = expected
  }
}

/**
 * Reads the settings of this deployment, once per environment. Throws an error that names a setting with an
 * illegal value, so that the Worker stops instead of guessing.
 */
export const readSettings = perObject((env: object): Settings => {
  const parsed = shape.safeParse(env)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new WrongSetting(issue?.path.join('.') ?? '', issue?.message ?? '')
  }
  return parsed.data
})
