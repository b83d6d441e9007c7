import * as z from 'zod'
import { parseBugRefsToWrite } from '../../../platform/access/bug-set.ts'
import { commit } from '../../../platform/db/commit.ts'
import { loggedIn, operation } from '../../../platform/http/operations/operation.ts'
import { changesOutput } from '../../../platform/http/operations/shapes.ts'
import { aliasOutput } from '../../../platform/lib/alias.ts'
import { announceNotices, recordedNotices } from '../../notices/record-notice.ts'
import { isCustomField } from '../custom-fields/input.ts'
import { assertFewItems } from '../edits/list-input.ts'
import { changeBugFaults } from '../model/faults.ts'
import { withApiNames } from '../model/legacy-names.ts'
import { presentChanges } from './answer.ts'
import { decideChange } from './decide.ts'
import { requireMatchingTag } from './if-match.ts'
import { CAPABILITY_PARAMETERS, changeBugInput } from './input.ts'
import { historyRows, NO_PARTS, partsOfChange } from './write.ts'

/**
 * Changes the bugs of the path and of `ids`, all or none, in one commit with history and notices. What can
 * be changed is the table in `capabilities.ts`.
 */
export const changeBugs = operation(
  {
    method: 'PUT',
    path: '/bug/:id_or_alias',
    summary: 'Change bugs',
    reference: 'bugs.md#change-bugs',
    input: changeBugInput,
    usesOther: isCustomField,
    output: z.strictObject({
      bugs: z.array(
        z.strictObject({
          id: z.int(),
          alias: aliasOutput,
          last_change_time: z.iso.datetime(),
          changes: changesOutput,
        }),
      ),
    }),
    faults: changeBugFaults,
    requires: loggedIn,
    scope: 'write',
  },
  async (ctx, given) => {
    const input = withApiNames({ ...given })
    const person = ctx.caller
    assertFewItems(input, CAPABILITY_PARAMETERS)
    const refs = parseBugRefsToWrite(given.id_or_alias, given.ids)
    const decision = await decideChange(ctx, person, refs, input)
    const parts = partsOfChange(decision, {
      person,
      now: ctx.now,
      isMinor: given.minor_update ?? false,
    })
    const guard = await requireMatchingTag(ctx, given)
    const rows = await commit(ctx, parts === null ? NO_PARTS : { unchanged: guard, ...parts })
    const notices = recordedNotices(rows.notices)
    announceNotices(ctx, notices)
    const { visible, lists } = rows
    const changes = { history: historyRows(rows), notices, visible, lists }
    return {
      bugs: presentChanges(
        { person, settings: ctx.settings, baseUrl: ctx.baseUrl },
        decision,
        changes,
      ),
    }
  },
)
