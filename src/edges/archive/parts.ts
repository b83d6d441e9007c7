import { auditLog } from '../../platform/db/schema/audit.ts'
import { bugTags } from '../../platform/db/schema/bugs.ts'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { visits } from '../../platform/db/schema/visits.ts'
import { componentWatches, ignoredBugs, personWatches } from '../../platform/db/schema/watches.ts'
import { webhooks } from '../../platform/db/schema/webhooks.ts'
import { days, documents } from './form.ts'
import { list, ofProduct, own, type Part, part, refer } from './part.ts'
import { BUGS } from './parts-bugs.ts'
import { STRUCTURE } from './parts-structure.ts'

/** What belongs to single people, and the record of administration. */
const PEOPLE: readonly Part[] = [
  part(
    'personal',
    'Whom and what a person watches or ignores, which bugs they tagged and visited.',
    users,
    {},
    {
      isAddition: true,
      lists: [
        list(
          'watched_users',
          personWatches,
          personWatches.watcherId,
          refer('person', personWatches.watchedId),
        ),
        list(
          'watched_components',
          componentWatches,
          componentWatches.watcherId,
          {
            product: refer('product', componentWatches.productId),
            component: ofProduct('component', componentWatches.componentId),
          },
          { order: [componentWatches.id] },
        ),
        list('ignored_bugs', ignoredBugs, ignoredBugs.userId, refer('bug', ignoredBugs.bugId)),
        list(
          'tags',
          bugTags,
          bugTags.userId,
          { bug_id: refer('bug', bugTags.bugId), tag: bugTags.name },
          { order: [bugTags.bugId, bugTags.nameFold] },
        ),
        list('visits', visits, visits.userId, {
          bug_id: refer('bug', visits.bugId),
          last_visit: visits.visitedAt,
        }),
      ],
    },
  ),
  part(
    'saved_searches',
    'Saved searches and reports.',
    savedSearches,
    {
      user: refer('person', savedSearches.userId),
      ...own(savedSearches, 'kind', 'name', 'query'),
      shared_with: refer('group', savedSearches.sharedGroupId),
    },
    { distinct: [['user', 'kind', 'name']] },
  ),
  part(
    'reminders',
    'Reminders, sent and to be sent.',
    reminders,
    {
      user: refer('person', reminders.userId),
      bug_id: refer('bug', reminders.bugId),
      note: reminders.note,
      reminder_ts: { column: reminders.remindOn, form: days },
      creation_ts: { column: reminders.createdOn, form: days },
      next_attempt: reminders.nextAttemptAt,
      done: reminders.doneAt,
    },
    {
      leftOut: {
        attempts: 'the state of one attempt to mail it',
        leaseUntil: 'the state of one attempt to mail it',
        lastError: 'the state of one attempt to mail it',
      },
    },
  ),
  part(
    'webhooks',
    'Webhooks without secrets: an imported one gets a new secret, and its receiver has to learn it.',
    webhooks,
    {
      user: refer('person', webhooks.userId),
      ...own(webhooks, 'name', 'url'),
      event: webhooks.events,
      product: refer('product', webhooks.productId),
      component: ofProduct('component', webhooks.componentId),
      enabled: webhooks.isEnabled,
      creation_time: webhooks.createdAt,
    },
    {
      distinct: [['user', 'name']],
      made: { secretSealed: 'webhook secret' },
      leftOut: {
        secretSealed: 'a secret, encrypted for one tracker',
        headerName: 'of no use without its value',
        headerSealed: 'a secret, encrypted for one tracker',
        errors: 'failures of one tracker',
        afterNoticeId: 'the place in the notices of one tracker',
        heldAfterId: 'the place in the deliveries of one tracker',
      },
    },
  ),
  part(
    'api_keys',
    'API keys as their hashes, only with credentials.',
    apiKeys,
    {
      user: refer('person', apiKeys.userId),
      ...own(apiKeys, 'hash', 'prefix', 'description'),
      creation_time: apiKeys.createdAt,
      last_used: apiKeys.lastUsedAt,
      last_used_ip: apiKeys.lastUsedIp,
      expires: apiKeys.expiresAt,
      ...own(apiKeys, 'revoked', 'canWrite', 'canAdminister'),
      product_ids: { column: apiKeys.productIds, form: documents },
      replaced_by: apiKeys.replacedById,
    },
    {
      distinct: [['hash']],
      isCredential: true,
      leftOut: { sealed: 'the key itself, encrypted for one tracker' },
    },
  ),
  part(
    'audit',
    'Who changed the structure of the tracker.',
    auditLog,
    {
      who: refer('person', auditLog.userId),
      time: auditLog.happenedAt,
      object: auditLog.objectClass,
      ...own(auditLog, 'objectId', 'action'),
      changes: { column: auditLog.changes, form: documents },
    },
    { changes: { at: auditLog.happenedAt } },
  ),
]

/** The parts of an archive, in the order in which one needs the other. The whole archive is made from it. */
export const PARTS: readonly Part[] = [...STRUCTURE, ...BUGS, ...PEOPLE]

/** The tables that are in no archive, and why. */
export const TABLES_LEFT_OUT: Readonly<Record<string, string>> = {
  memberships: 'made from groups, grants and accounts',
  membership_steps: 'made anew at the end of an import',
  comment_tag_weights: 'counted by the database',
  comment_words: 'made from comments',
  comment_word_range: 'made from comments',
  imports: 'about an import into one tracker',
  sessions: 'logins that end by themselves',
  tokens: 'logins that end by themselves',
  second_factors: 'secrets, encrypted for one tracker',
  account_links: 'mails that one tracker has sent',
  login_failures: 'of minutes',
  idempotency_keys: 'answers for programs that repeat a request within a day',
  notices: 'mails on their way from one tracker',
  notice_mails: 'mails on their way from one tracker',
  webhook_deliveries: 'calls on their way from one tracker',
  codehost_deliveries: 'answers to a code host that repeats an event',
  codehost_pushes: 'events on their way into bugs',
  api_key_mails: 'planned anew when the expiry of a key is set',
}

export function findPart(name: string): Part | undefined {
  return PARTS.find((one) => one.name === name)
}
