import * as z from 'zod'
import { type BugRef, parseBugRefsToWrite } from '../../../platform/access/bug-set.ts'
import type { PersonCtx } from '../../../platform/context.ts'
import { commit, retryOnConflict } from '../../../platform/db/commit.ts'
import { isLargeEdit, runLargeEdit } from '../../../platform/http/operations/large-edits.ts'
import { loggedIn, operation } from '../../../platform/http/operations/operation.ts'
import { changesOutput } from '../../../platform/http/operations/shapes.ts'
import { aliasOutput } from '../../../platform/lib/alias.ts'
import { announceNotices, recordedNotices } from '../../notices/record-notice.ts'
import { isCustomField } from '../custom-fields/input.ts'
import { assertFewItems } from '../edits/list-input.ts'
import { namesRelations } from '../edits/relations/relations.ts'
import { changeBugFaults } from '../model/faults.ts'
import { findOverruledNames, withApiNames } from '../model/legacy-names.ts'
import { presentChangedBugs } from './answer.ts'
import { decideChange } from './decide.ts'
import { requireMatchingTag } from './if-match.ts'
import { CAPABILITY_PARAMETERS, type ChangeBugInput, changeBugInput } from './input.ts'
import { type ChangeParts, historyOfCommit, partsOfChange } from './write.ts'

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
    assertFewItems(withApiNames({ ...given }), CAPABILITY_PARAMETERS)
    const refs = parseBugRefsToWrite(given.id_or_alias, given.ids)
    const change = (again: PersonCtx) => changeAll(again, refs, given)
    // the patience of those that waited begins with their turn
    return isLargeEdit(refs.length, namesRelations({ ...given }))
      ? runLargeEdit(ctx, (began) => retryOnConflict(began, change))
      : change(ctx)
  },
)

type Written = Awaited<ReturnType<typeof commit<ChangeParts>>>

async function changeAll(ctx: PersonCtx, refs: readonly BugRef[], given: ChangeBugInput) {
  const person = ctx.caller
  const decision = await decideChange(ctx, person, refs, withApiNames({ ...given }))
  const unused = [...decision.outcomes.values()].flatMap((outcome) => outcome.unused ?? [])
  ctx.noteUnused([...findOverruledNames({ ...given }), ...unused])
  const parts = partsOfChange(decision, {
    person,
    now: ctx.now,
    isMinor: given.minor_update ?? false,
  })
  const guard = await requireMatchingTag(ctx, given)
  const rows: Partial<Written> =
    parts === null ? {} : await commit(ctx, { unchanged: guard, ...parts })
  const { visible = [], lists = [] } = rows
  const notices = recordedNotices(rows.notices ?? [])
  announceNotices(ctx, notices)
  const changes = { history: historyOfCommit(rows), notices, visible, lists }
  return {
    bugs: presentChangedBugs(
      { person, settings: ctx.settings, baseUrl: ctx.baseUrl },
      decision,
      changes,
    ),
  }
}
