import type { SQL } from 'drizzle-orm'
import type { BugSet } from '../access/bug-set.ts'
import { db } from '../db/client.ts'
import { bugs } from '../db/schema/bugs.ts'
import { flags, flagTypeScopes, flagTypes } from '../db/schema/flags.ts'
import { users } from '../db/schema/users.ts'
import { jsonList, sql } from '../db/sql.ts'
import { fold } from '../lib/text.ts'
import type { FlagInput } from './input.ts'
import { scopesTouching } from './scopes.ts'

/**
 * What a request with flags reads, as named selects for the one `together` of its verb:
 * `...readFlags({ inputs, bugs, … })`. What comes back is handed as it is to `flagRules` (rules of one
 * request) in `plan.ts`. Nothing is read when there is nothing to decide.
 */
export type FlagQuestion = {
  /** The entries of every flag parameter of the request, in any order. */
  readonly inputs: readonly FlagInput[]
  /** The bugs that exist, whose flags may change or whose attachments' flags may; null for a new one. */
  readonly bugs: BugSet | null
  /** A select of the IDs of attachments that exist and whose flags may change. */
  readonly attachments?: SQL
  /** A select of the IDs of products where bugs will be: that of a new bug, or where bugs are moved. */
  readonly products?: SQL
  /** The bugs may get another product or component, which settles their flags and their attachments'. */
  readonly moves?: boolean
  /** Attachments may become obsolete, which drops the requests on them. */
  readonly obsoletes?: boolean
}

type Readings = ReturnType<typeof readFlags>

/** What was read; parts are missing when there was nothing to decide. */
export type KnownFlags = { readonly [Part in keyof Readings]: Awaited<Readings[Part]> }

export type FlagType = NonNullable<KnownFlags['flagTypes']>[number]
export type StandingFlag = NonNullable<KnownFlags['flags']>[number]
export type AskedPerson = NonNullable<KnownFlags['flagPeople']>[number]
export type FlaggedRow = NonNullable<KnownFlags['flagBugs']>[number]

/** Reads flags, the types that apply where the bugs are or will be, the people asked, and the bugs. */
export function readFlags(question: FlagQuestion) {
  const { inputs, moves = false, obsoletes = false } = question
  if (inputs.length === 0 && !moves && !obsoletes) {
    return { flagTypes: undefined, flagScopes: undefined, flags: undefined, ...NOBODY }
  }
  const logins = inputs.map(({ requestee }) => fold((requestee ?? '').trim()))
  const asked = jsonList([...new Set(logins)].filter((login) => login !== ''))
  const standing = standingFlags(question)
  return {
    flagTypes: readTypes(placesOf(question), standing),
    flagScopes: db
      .select({
        flagTypeId: flagTypeScopes.flagTypeId,
        isExclusion: flagTypeScopes.isExclusion,
        productId: flagTypeScopes.productId,
        componentId: flagTypeScopes.componentId,
      })
      .from(flagTypeScopes)
      .where(scopesTouching(placesOf(question))),
    flags: readStanding(standing),
    flagPeople: readPeople(asked, moves ? standing : null),
    flagBugs: question.bugs === null ? undefined : readFlagged(question.bugs, asked),
  }
}

const NOBODY = { flagPeople: undefined, flagBugs: undefined }

/** The products in which the flags have to be in their place. */
function placesOf({ bugs: set, products }: FlagQuestion): SQL {
  const held =
    set === null ? undefined : sql`SELECT bugs.product_id FROM bugs WHERE ${set.condition}`
  return anyId([held, products])
}

/** The IDs of the flags that the request is about, by the index that leads to them. */
function standingFlags({ bugs: set, attachments, moves = false }: FlagQuestion): SQL {
  const ofBugs =
    set === null
      ? undefined
      : sql`SELECT f.id FROM flags f WHERE f.bug_id IN (SELECT bugs.id FROM bugs WHERE ${set.condition})
          ${moves ? sql`` : sql`AND f.attachment_id IS NULL`}`
  const ofAttachments =
    attachments === undefined
      ? undefined
      : sql`SELECT f.id FROM attachments a
          JOIN flags f ON f.bug_id = a.bug_id AND f.attachment_id = a.id WHERE a.id IN (${attachments})`
  return anyId([ofBugs, ofAttachments])
}

/** The IDs that any of the selects answers, as a select in brackets. */
function anyId(selects: readonly (SQL | undefined)[]): SQL {
  const parts = selects.filter((part) => part !== undefined)
  return parts.length === 0 ? sql`(SELECT NULL)` : sql`(${sql.join(parts, sql` UNION `)})`
}

function readTypes(places: SQL, standing: SQL) {
  return db
    .select({
      id: flagTypes.id,
      name: flagTypes.name,
      target: flagTypes.target,
      isActive: flagTypes.isActive,
      isRequestable: flagTypes.isRequestable,
      isRequesteeble: flagTypes.isRequesteeble,
      isMultiplicable: flagTypes.isMultiplicable,
      grantGroupId: flagTypes.grantGroupId,
      requestGroupId: flagTypes.requestGroupId,
      revision: flagTypes.revision,
    })
    .from(flagTypes)
    .where(
      sql`flag_types.id IN (SELECT flag_type_scopes.flag_type_id FROM flag_type_scopes
          WHERE ${scopesTouching(places)} AND flag_type_scopes.is_exclusion = 0)
        OR flag_types.id IN (SELECT s.type_id FROM flags s WHERE s.id IN ${standing})`,
    )
    .orderBy(flagTypes.sortKey, flagTypes.id)
}

function readStanding(standing: SQL) {
  return db
    .select({
      id: flags.id,
      typeId: flags.typeId,
      bugId: flags.bugId,
      attachmentId: flags.attachmentId,
      status: flags.status,
      setterId: flags.setterId,
      requesteeId: flags.requesteeId,
      requestee: sql<
        string | null
      >`(SELECT u.login FROM users u WHERE u.id = flags.requestee_id)`.as('requestee'),
      revision: flags.revision,
    })
    .from(flags)
    .where(sql`flags.id IN ${standing}`)
    .orderBy(flags.id)
}

/** The people asked; where flags move to other types, also who set them, whose rights decide. */
function readPeople(asked: SQL, moving: SQL | null) {
  const setters =
    moving === null
      ? sql``
      : sql`OR users.id IN (SELECT s.setter_id FROM flags s WHERE s.id IN ${moving})`
  return db
    .select({
      id: users.id,
      login: users.login,
      loginFold: users.loginFold,
      isDisabled: sql<boolean>`users.login_denied_text <> ''`.mapWith(Boolean).as('is_disabled'),
      isInsider: sql<boolean>`EXISTS (SELECT 1 FROM memberships m
        JOIN access_groups g ON g.id = m.group_id WHERE m.user_id = users.id AND g.role = 'insider')`
        .mapWith(Boolean)
        .as('is_insider'),
      /** JSON: the IDs of the person's groups. */
      groups: sql<string>`(SELECT json_group_array(m.group_id) FROM memberships m
        WHERE m.user_id = users.id)`.as('groups'),
    })
    .from(users)
    .where(sql`users.login_fold IN ${asked} ${setters}`)
}

/** Where the bugs are and what decides who sees them; of their CC lists only the people asked. */
function readFlagged(set: BugSet, asked: SQL) {
  return db
    .select({
      id: bugs.id,
      productId: bugs.productId,
      componentId: bugs.componentId,
      reporterId: bugs.reporterId,
      assignedToId: bugs.assignedToId,
      qaContactId: bugs.qaContactId,
      isCcAccessible: bugs.isCcAccessible,
      isCreatorAccessible: bugs.isCreatorAccessible,
      /** JSON: the IDs of the bug's groups. */
      groups: sql<string>`(SELECT json_group_array(g.group_id) FROM bug_groups g
        WHERE g.bug_id = bugs.id)`.as('groups'),
      /** JSON: the IDs of those among the people asked who are on the CC list. */
      cc: sql<string>`(SELECT json_group_array(c.user_id) FROM users u
        CROSS JOIN bug_cc c ON c.bug_id = bugs.id AND c.user_id = u.id
        WHERE u.login_fold IN ${asked})`.as('cc'),
    })
    .from(bugs)
    .where(set.condition)
}
