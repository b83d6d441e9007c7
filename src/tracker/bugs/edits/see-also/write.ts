import { abortBeyond } from '../../../../platform/db/commit.ts'
import { seeAlso } from '../../../../platform/db/schema/bugs.ts'
import { aliasColumns, columnNames, sql } from '../../../../platform/db/sql.ts'
import { LOCAL_LINK } from '../../../history/links.ts'
import type { Edit, ListEdit } from '../../model/capability.ts'
import { assertFewPairs, editPairs, realId } from '../statements.ts'

const x = aliasColumns(seeAlso, 'x')

const SEE_ALSO_COLUMNS = columnNames(
  seeAlso.bugId,
  seeAlso.url,
  seeAlso.urlFold,
  seeAlso.localBugId,
)

/** A link as it is written: to a bug of this service, or to an address elsewhere. */
export type LinkTarget =
  | { readonly local: number }
  | { readonly url: string; readonly fold: string }

/** Addresses elsewhere of a bug that takes another one: everybody who reads the bug pays for all of them. */
export const MAX_ADDRESSES = 1000

/** Edits of `see_also`; links to bugs of this service are stored without its address. Bugs in `grown` get addresses. */
export function editSeeAlso(
  edits: readonly Edit<LinkTarget>[],
  grown: readonly number[] = [],
): ListEdit {
  assertFewPairs('see_also', edits)
  const pairs = sql`SELECT l.*, coalesce(l.item ->> 'url', ${LOCAL_LINK} || l.local) AS url,
      coalesce(l.item ->> 'fold', ${LOCAL_LINK} || l.local) AS url_fold
    FROM (SELECT p.*, ${realId(sql`(p.item ->> 'local')`)} AS local FROM (${editPairs(edits)}) p) l`
  // two look-ups, each in an index; older rows hold the whole address of a local link
  const links = sql`SELECT p.*, coalesce(
      (SELECT ${x.id} FROM see_also x WHERE ${x.bugId} = p.bug_id AND ${x.urlFold} = p.url_fold),
      (SELECT min(${x.id}) FROM see_also x
        WHERE ${x.localBugId} = p.local AND ${x.bugId} = p.bug_id)) AS row_id
    FROM (${pairs}) p`
  return {
    changed: [
      sql`SELECT p.bug_id, 'see_also' AS field, p.is_added, coalesce(${x.url}, p.url) AS name,
          coalesce(${x.urlFold}, p.url_fold) AS name_fold, p.place
        FROM (${links}) p LEFT JOIN see_also x ON ${x.id} = p.row_id
        WHERE p.is_added = (p.row_id IS NULL)`,
    ],
    statements: [
      sql`DELETE FROM see_also WHERE ${seeAlso.id} IN (
        SELECT p.row_id FROM (${links}) p WHERE p.is_added = 0)`,
      sql`INSERT OR IGNORE INTO see_also (${SEE_ALSO_COLUMNS})
        SELECT p.bug_id, p.url, p.url_fold, p.local FROM (${links}) p
        WHERE p.is_added = 1 AND p.row_id IS NULL ORDER BY p.bug_id, p.place`,
      ...abortBeyond(
        MAX_ADDRESSES,
        grown,
        (id) => sql`SELECT 1 FROM see_also x WHERE ${x.bugId} = ${id} AND ${x.localBugId} IS NULL`,
      ),
    ],
  }
}
