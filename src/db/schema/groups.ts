import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { users } from './users.ts'

/** Groups of users. Called `access_groups` because GROUPS is a keyword that D1 tools stumble over. */
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
  /** What a system group gives (`access/roles.ts`); permissions look here, so groups may be renamed. */
  role: text('role').unique(),
  createdAt: integer('created_at').notNull(),
  revision: integer('revision').notNull().default(0),
})

/** Who was put into a group by hand (`direct`) or by its login pattern (`regexp`); one may hold both. */
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

/** What members of one group get from another: its membership, the right to bless it, to see it. */
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

/** The right to hand out membership of a group, given to one person. */
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
 * joins this table; it is recomputed in the same commit as whatever changes it.
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
