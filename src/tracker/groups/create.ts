import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { recomputeMembershipsStatements } from '../../platform/access/membership.ts'
import {
  deriveMembers,
  membersAtOnce,
  selectFirstLogins,
} from '../../platform/access/membership-steps.ts'
import type { Statement } from '../../platform/db/commit.ts'
import { answerStatements } from '../../platform/db/idempotency.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groupGrants, groups, memberships } from '../../platform/db/schema/groups.ts'
import { aliasColumns, columnNames, db, newestId, sql } from '../../platform/db/sql.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { fault } from '../../platform/faults/fault.ts'
import { inTurnOfLargeEdits } from '../../platform/http/operations/large-edits.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { boolean, limitLength, strictInput, text } from '../../platform/http/operations/shapes.ts'
import { fold } from '../../platform/lib/text.ts'
import { createGroupFaults, groupNameTaken } from './faults.ts'
import { assertPatternsFit, selectPatternCounts } from './patterns.ts'
import {
  parseGroupDescription,
  parseGroupIcon,
  parseGroupName,
  parseGroupPattern,
  presentGroupState,
} from './values.ts'

const admins = aliasColumns(groups, 'admins')

/**
 * Creates a group that bugs can be restricted to. Its members are the people whose login matches its
 * pattern, and administrators, who may also bless it and see its members.
 */
export const createGroup = operation(
  {
    method: 'POST',
    path: '/group',
    makes: '/group/:id',
    summary: 'Create a group that bugs can be restricted to',
    reference: 'groups.md#create-a-group',
    input: strictInput(
      {
        name: text(),
        description: limitLength(text()),
        user_regexp: text(),
        is_active: boolean(),
        icon_url: text(),
      },
      'id',
      'is_bug_group',
    ),
    output: z.strictObject({ id: z.int() }),
    faults: createGroupFaults,
    requires: role('creategroups', 'create groups'),
    scope: 'write',
    status: 201,
  },
  inTurnOfLargeEdits(async (ctx, input) => {
    const name = parseGroupName(input.name)
    const row = {
      name,
      nameFold: fold(name),
      description: parseGroupDescription(input.description),
      isActive: input.is_active ?? true,
      iconUrl: parseGroupIcon(input.icon_url ?? null),
      createdAt: ctx.now,
    }
    const { source, pattern } = await parseGroupPattern(input.user_regexp)
    const { sameName, patterns, logins } = await readBatch(ctx, {
      sameName: db.select({ id: groups.id }).from(groups).where(eq(groups.nameFold, row.nameFold)),
      patterns: pattern === null ? undefined : selectPatternCounts(false),
      logins: pattern === null ? undefined : selectFirstLogins(1),
    })
    if (sameName.length > 0) {
      throw fault(groupNameTaken, { name })
    }
    assertPatternsFit(patterns?.[0], { added: 1, changed: 1 })
    const members =
      logins === undefined
        ? membersAtOnce()
        : await deriveMembers(newestId(groups), pattern, logins, 1)
    const id = await createAudited(
      ctx,
      'Group',
      {
        row: { ...row, userRegexp: source },
        shown: presentGroupState({ ...row, userRegexp: source }),
      },
      {
        grants: grantAdministratorsStatements(),
        members: members.statements,
        // steps take seconds, in which an answer that is kept behind them could be lost
        answer: answerStatements(ctx, sql`json_object('id', ${newestId(groups)})`),
      },
    )
    await members.finish(ctx)
    return { id }
  }),
)

/** Makes administrators members of the newest group, who may bless it and see its members. */
function grantAdministratorsStatements(): Statement[] {
  return [
    sql`INSERT INTO group_grants (${columnNames(groupGrants.memberGroupId, groupGrants.grantingGroupId, groupGrants.kind)})
      SELECT ${admins.id}, ${newestId(groups)}, kind.column1
      FROM access_groups admins
      JOIN (VALUES ('membership'), ('bless'), ('visible')) kind WHERE ${admins.role} = 'admin'`,
    ...recomputeMembershipsStatements(sql`(SELECT ${memberships.userId} FROM memberships
      JOIN access_groups admins ON ${admins.id} = ${memberships.groupId} WHERE ${admins.role} = 'admin')`),
  ]
}
