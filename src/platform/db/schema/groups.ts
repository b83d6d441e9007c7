import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'

/** Groups of users. Named `access_groups` because tools of D1 fail on the keyword GROUPS. */
export const groups = sqliteTable('access_groups', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull(),
  nameFold: text('name_fold').notNull().unique(),
  description: text('description').notNull(),
  /** False for administrative groups, which bugs cannot be restricted to. */
  isBugGroup: integer('is_bug_group', { mode: 'boolean' }).notNull().default(true),
  isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
  userRegexp: text('user_regexp').notNull().default(''),
  iconUrl: text('icon_url'),
  /**
   * The role of a system group (`platform/access/roles.ts`). Rights depend on it, so that groups may be
   * renamed.
   */
  role: text('role').unique(),
  createdAt: integer('created_at').notNull(),
  revision: integer('revision').notNull().default(0),
})

/** Members of groups by hand (`direct`) or by pattern (`regexp`); a person may have both rows. */
export const groupMembers = sqliteTable(
  'group_members',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    groupId: integer('group_id')
      .notNull()
      .references(() => groups.id),
    source: text('source', { enum: ['direct', 'regexp'] }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.groupId, t.source] }),
    index('group_members_group').on(t.groupId, t.source),
    check('group_members_source', sql`${t.source} IN ('direct', 'regexp')`),
  ],
)

/** Grants of one group to members of another: its membership, the right to bless it, or to see it. */
export const groupGrants = sqliteTable(
  'group_grants',
  {
    memberGroupId: integer('member_group_id')
      .notNull()
      .references(() => groups.id),
    grantingGroupId: integer('granting_group_id')
      .notNull()
      .references(() => groups.id),
    kind: text('kind', { enum: ['membership', 'bless', 'visible'] }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.memberGroupId, t.kind, t.grantingGroupId] }),
    index('group_grants_granting').on(t.grantingGroupId, t.kind),
    check('group_grants_kind', sql`${t.kind} IN ('membership', 'bless', 'visible')`),
  ],
)

/** The right of one person to bless a group. */
export const groupBlessers = sqliteTable(
  'group_blessers',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    groupId: integer('group_id')
      .notNull()
      .references(() => groups.id),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.groupId] }),
    index('group_blessers_group').on(t.groupId),
  ],
)

/**
 * Effective membership: direct, by pattern and inherited, one row per person and group. Every check
 * joins this table; every commit that affects it recomputes it.
 */
export const memberships = sqliteTable(
  'memberships',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id),
    groupId: integer('group_id')
      .notNull()
      .references(() => groups.id),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.groupId] }),
    index('memberships_group').on(t.groupId, t.userId),
  ],
)

/**
 * Groups whose members are computed anew in steps, over all accounts in the order of their IDs, because there are too
 * many for one commit (`platform/access/membership-steps.ts`).
 */
export const membershipSteps = sqliteTable('membership_steps', {
  groupId: integer('group_id')
    .primaryKey()
    .references(() => groups.id),
  /** The last account that is done. */
  afterId: integer('after_id').notNull(),
})
