import type { Ctx } from '../../platform/context.ts'
import { abortUnlessChanged, commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groupMembers, groups, memberships } from '../../platform/db/schema/groups.ts'
import { imports } from '../../platform/db/schema/imports.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import {
  aliasColumns,
  columnName,
  columnNames,
  db,
  jsonList,
  limitTo,
  sql,
} from '../../platform/db/sql.ts'
import { seal } from '../../platform/lib/crypto/secrets.ts'
import { newWebhookSecret } from '../webhooks/delivery/signature.ts'
import { PARKED_NAME } from './begin-import.ts'
import { objectKeyOf } from './file.ts'
import { isWhole, parseProgress, parseStale, requireOpen, selectImport } from './import-state.ts'
import { LineProblem, type ParsedLine, parseLine } from './parse-line.ts'
import type { Part } from './part.ts'
import { customFieldsByName, References, selectCustomFields } from './resolve.ts'
import { writeLines } from './write-lines.ts'

const u = aliasColumns(users, 'u')
const g = aliasColumns(groups, 'g')

/** Rows that may be gone at once; more than one request brings. */
const MAX_STALE = 20_000

/** A line that does not fit, by its number in the request. */
type Refusal = { readonly line: number; readonly reason: string }

type LinesAnswer = {
  readonly accepted: number
  readonly repeated: number
  readonly refused: readonly Refusal[]
}

type NumberedLine = ParsedLine & { readonly number: number }

/** Writes all lines of a request in one commit, or none. Lines up to the last one that is in are repeated ones. */
export async function importLines(
  ctx: Ctx,
  part: Part,
  text: string,
  isDryRun: boolean,
): Promise<LinesAnswer> {
  const { imported, custom, parkedKeys } = await readBatch(ctx, {
    imported: selectImport(),
    custom: part.hasCustomFields ? selectCustomFields() : undefined,
    parkedKeys: part.isCredential
      ? db.select({ hash: apiKeys.hash }).from(apiKeys).where(sql`${apiKeys.id} < 0`)
      : undefined,
  })
  const state = requireOpen(imported[0])
  const last = parseProgress(state)[part.name] ?? 0
  const { lines, repeated, refused } = parseLines(
    part,
    text,
    last,
    customFieldsByName(custom ?? []),
  )
  const references = new References(lines)
  const ids = lines.map(({ id }) => id)
  const { known, older, ...found } = await readBatch(ctx, {
    ...references.selects(),
    known: part.isAddition && ids.length > 0 ? selectIds(part, ids) : undefined,
    older:
      state.isFirst || !isWhole(part) ? undefined : selectBetween(part, last, ids.at(-1) ?? last),
  })
  references.learn(found as Parameters<References['learn']>[0])
  const rows = new Set((known ?? []).map(({ id }) => id))
  for (const line of lines) {
    try {
      if (part.isAddition && !rows.has(line.id)) {
        throw new LineProblem(`id: there is no row with the number ${line.id} that this adds to`)
      }
      references.fill(line.references)
    } catch (error) {
      refused.push({ line: line.number, reason: reasonOf(error) })
    }
  }
  if (refused.length > 0) {
    return { accepted: 0, repeated, refused: refused.toSorted((a, b) => a.line - b.line) }
  }
  if (lines.length > 0 && !isDryRun) {
    await makeCells(ctx, part, lines, new Set((parkedKeys ?? []).map(({ hash }) => hash)))
    const present = new Set(ids)
    const stale = (older ?? []).map(({ id }) => id).filter((id) => !present.has(id))
    await commit(ctx, {
      progress: recordProgress(state, part, ids.at(-1) ?? last, stale),
      ahead: part.table === groups ? yieldRole() : [],
      lines: writeLines(part, lines, state.isFirst && !part.isAddition),
      behind: part.table === groups ? takeRole() : [],
    })
  }
  return { accepted: lines.length, repeated, refused: [] }
}

function parseLines(
  part: Part,
  text: string,
  last: number,
  customFields: Parameters<typeof parseLine>[2],
) {
  const lines: NumberedLine[] = []
  const refused: Refusal[] = []
  let repeated = 0
  let newest = 0
  for (const [n, one] of text.split('\n').entries()) {
    if (one.trim() === '') {
      continue
    }
    try {
      const line = parseLine(part, one, customFields)
      if (line.id <= newest) {
        throw new LineProblem(`id ${line.id} stands behind ${newest}: numbers ascend, each once`)
      }
      newest = line.id
      if (line.id <= last) {
        repeated += 1
      } else {
        lines.push({ ...line, number: n + 1 })
      }
    } catch (error) {
      refused.push({ line: n + 1, reason: reasonOf(error) })
    }
  }
  return { lines, repeated, refused }
}

function reasonOf(error: unknown): string {
  if (error instanceof LineProblem) {
    return error.message
  }
  throw error
}

function selectIds({ table }: Part, ids: readonly number[]) {
  return db
    .select({ id: sql<number>`${table.id}`.as('row_id') })
    .from(table)
    .where(sql`${table.id} IN ${jsonList(ids)}`)
}

function selectBetween({ table }: Part, after: number, until: number) {
  return db
    .select({ id: sql<number>`${table.id}`.as('row_id') })
    .from(table)
    .where(sql`${table.id} > ${after} AND ${table.id} <= ${until}`)
    .orderBy(sql`${table.id} ${limitTo(MAX_STALE)}`)
}

/** Fails as a conflict when another request has written lines of the part meanwhile. */
function recordProgress(
  state: { readonly progress: string; readonly stale: string },
  { name }: Part,
  last: number,
  stale: readonly number[],
): Statement[] {
  const progress = { ...parseProgress(state), [name]: last }
  const before = parseStale(state)
  return [
    db
      .update(imports)
      .set({
        progress: JSON.stringify(progress),
        stale: JSON.stringify({ ...before, [name]: [...(before[name] ?? []), ...stale] }),
      })
      .where(sql`${imports.progress} = ${state.progress} AND ${imports.endedAt} IS NULL`),
    abortUnlessChanged(),
  ]
}

/** What the archive does not have. */
async function makeCells(
  { env }: Ctx,
  { made, isCredential }: Part,
  lines: readonly ParsedLine[],
  parkedHashes: ReadonlySet<unknown>,
): Promise<void> {
  for (const { row } of lines) {
    if (made.objectKey !== undefined) {
      row.objectKey = objectKeyOf(String(row.sha256))
    }
    if (made.secretSealed !== undefined) {
      row.secretSealed = await seal(newWebhookSecret(), env.SECRETS_KEY)
    }
    if (isCredential && parkedHashes.has(row.hash)) {
      row.hash = `${PARKED_NAME}${row.hash}`
    }
  }
}

function yieldRole(): Statement[] {
  return [sql`UPDATE access_groups SET ${columnName(groups.role)} = NULL WHERE ${groups.id} < 0`]
}

/** The administrator of the import is one through the group of the archive. */
function takeRole(): Statement[] {
  const who = sql`FROM users u, access_groups g WHERE ${u.id} < 0 AND ${g.role} = 'admin'`
  return [
    // the archive may have this group in a later request
    sql`UPDATE access_groups SET ${columnName(groups.role)} = 'admin' WHERE ${groups.id} < 0
      AND NOT EXISTS (SELECT 1 FROM access_groups g WHERE ${g.role} = 'admin')`,
    sql`INSERT OR IGNORE INTO group_members (${columnNames(groupMembers.userId, groupMembers.groupId, groupMembers.source)})
      SELECT ${u.id}, ${g.id}, 'direct' ${who}`,
    sql`INSERT OR IGNORE INTO memberships (${columnNames(memberships.userId, memberships.groupId)})
      SELECT ${u.id}, ${g.id} ${who}`,
  ]
}
