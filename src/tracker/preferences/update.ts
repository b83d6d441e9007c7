import * as z from 'zod'
import { parseBugRef } from '../../platform/access/bug-set.ts'
import { bugAccessFaults, productDenied } from '../../platform/access/faults.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { mailPreferences } from '../../platform/db/schema/users.ts'
import { componentWatches, ignoredBugs, personWatches } from '../../platform/db/schema/watches.ts'
import { columnNames, jsonList, jsonRows, sql } from '../../platform/db/sql.ts'
import { type Author, recordUpdates, updateAtRevision } from '../../platform/db/write-audited.ts'
import { operation } from '../../platform/http/operations/operation.ts'
import { changedObjects } from '../../platform/http/operations/shapes.ts'
import { productPartUnknown } from '../components/faults.ts'
import { userIdUnknown, userUnknown } from '../users/faults.ts'
import { selectPreferences } from './get-load.ts'
import { ownerOrEditor } from './owner.ts'
import {
  type BugRefs,
  decidePreferences,
  type PreferencesDecision,
  wantedOf,
} from './update-decide.ts'
import { selectNamedItems } from './update-load.ts'
import { type PreferencesUpdate, parseUpdate, preferencesInput } from './update-values.ts'

/**
 * Changes the mail preferences of the caller, or with the right to edit users those of another account:
 * cells, switches, and who and what is watched or ignored.
 */
export const updatePreferences = operation(
  {
    method: 'PUT',
    path: '/user/:id_or_name/preferences',
    summary: 'Change which mail an account gets, and whom and what it watches',
    reference: 'preferences.md#change-preferences',
    input: z.object({ id_or_name: z.string(), ...preferencesInput }),
    output: changedObjects('users'),
    faults: [...bugAccessFaults, productDenied, productPartUnknown, userIdUnknown, userUnknown],
    requires: ownerOrEditor,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
    const { owner, caller } = ctx
    const update = parseUpdate(input)
    const bugRefs = parseBugs(update)
    const named = {
      logins: wantedOf(update.watching),
      places: wantedOf(update.places),
      bugs: [...bugRefs.wanted, ...bugRefs.unwanted],
    }
    const rows = await readBatch(ctx, {
      ...selectPreferences(ctx),
      ...selectNamedItems(caller, ctx.settings, named),
    })
    const decision = decidePreferences(caller, update, bugRefs, rows)
    if (decision === null) {
      throw owner.unknown
    }
    await commit(ctx, writeParts(ctx, decision))
    return { users: [{ id: decision.ownerId, changes: decision.changes }] }
  },
)

function parseBugs({ ignored }: PreferencesUpdate): BugRefs {
  const isSet = ignored?.set !== undefined
  return {
    wanted: wantedOf(ignored).map(parseBugRef),
    unwanted: isSet ? [] : (ignored?.remove ?? []).map(parseBugRef),
  }
}

/** The parts of the commit of a decision; none for one that changes nothing. */
export function writeParts(author: Author, decision: PreferencesDecision) {
  const { ownerId, revision, changes } = decision
  const edits = [...editCells(decision), ...editLists(decision)]
  return edits.length === 0
    ? {}
    : {
        owner: updateAtRevision('User', [{ id: ownerId, revision }]),
        edits,
        audit:
          Object.keys(changes).length === 0
            ? []
            : recordUpdates(author, 'User', [{ id: ownerId, changes }]),
      }
}

/** Only cells that differ from the default have rows. */
function editCells({ ownerId, cells }: PreferencesDecision): Statement[] {
  if (cells.length === 0) {
    return []
  }
  const others = cells.filter(({ isDefault }) => !isDefault)
  return [
    sql`DELETE FROM mail_preferences WHERE ${mailPreferences.userId} = ${ownerId}
      AND (${mailPreferences.role}, ${mailPreferences.event}) IN (
        SELECT r.value ->> 'role', r.value ->> 'event' FROM ${jsonRows(cells)})`,
    sql`INSERT INTO mail_preferences (${columnNames(mailPreferences.userId, mailPreferences.role, mailPreferences.event, mailPreferences.wanted)})
      SELECT ${ownerId}, r.value ->> 'role', r.value ->> 'event', r.value ->> 'isOn' FROM ${jsonRows(others)}`,
  ]
}

function editLists({ ownerId, watching, places, ignored }: PreferencesDecision): Statement[] {
  const idsOf = (items: readonly { readonly id: number }[]) => jsonList(items.map(({ id }) => id))
  const statements: (Statement | false)[] = [
    watching.removed.length > 0 &&
      sql`DELETE FROM person_watches WHERE ${personWatches.watcherId} = ${ownerId}
        AND ${personWatches.watchedId} IN ${idsOf(watching.removed)}`,
    watching.added.length > 0 &&
      sql`INSERT INTO person_watches (${columnNames(personWatches.watcherId, personWatches.watchedId)})
        SELECT ${ownerId}, value FROM ${idsOf(watching.added)}`,
    places.removed.length > 0 &&
      sql`DELETE FROM component_watches WHERE ${componentWatches.watcherId} = ${ownerId}
        AND EXISTS (SELECT 1 FROM ${jsonRows(places.removed)} WHERE r.value ->> 'productId' = ${componentWatches.productId}
          AND r.value ->> 'componentId' IS ${componentWatches.componentId})`,
    places.added.length > 0 &&
      sql`INSERT INTO component_watches (${columnNames(componentWatches.watcherId, componentWatches.productId, componentWatches.componentId)})
        SELECT ${ownerId}, r.value ->> 'productId', r.value ->> 'componentId' FROM ${jsonRows(places.added)}`,
    ignored.removed.length > 0 &&
      sql`DELETE FROM ignored_bugs WHERE ${ignoredBugs.userId} = ${ownerId}
        AND ${ignoredBugs.bugId} IN ${idsOf(ignored.removed)}`,
    ignored.added.length > 0 &&
      sql`INSERT INTO ignored_bugs (${columnNames(ignoredBugs.userId, ignoredBugs.bugId)})
        SELECT ${ownerId}, value FROM ${idsOf(ignored.added)}`,
  ]
  return statements.filter((statement) => statement !== false)
}
