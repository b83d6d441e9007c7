import type { SQL } from 'drizzle-orm'
import { type BugRef, idsOfRefs, resolveBugs } from '../../../../platform/access/bug-set.ts'
import type { Caller } from '../../../../platform/access/caller.ts'
import {
  editableProductCondition,
  visibleBugCondition,
} from '../../../../platform/access/visibility.ts'
import { bugs, seeAlso } from '../../../../platform/db/schema/bugs.ts'
import { products } from '../../../../platform/db/schema/products.ts'
import { aliasColumns, db, sql } from '../../../../platform/db/sql.ts'
import { type EditSet, itemsOf } from '../../../../platform/http/operations/edit-set.ts'
import { pick } from '../../../../platform/lib/pick.ts'
import { RIGHTS_CONTROLS } from '../../model/standing.ts'
import { parseTarget } from './links.ts'

const a = aliasColumns(seeAlso, 'a')
const p = aliasColumns(products, 'p')

/**
 * Reads what editing `see_also` of the bugs in `bugIds` needs: the bugs that its texts name, the current
 * links, and what the caller may do to the bugs at either end. Nothing when there is no edit.
 */
export function loadSeeAlso(
  caller: Caller,
  baseUrl: string,
  edit: EditSet | undefined,
  bugIds: SQL,
) {
  const refs = edit === undefined ? [] : localRefs(edit, baseUrl)
  const targetIds = sql`${idsOfRefs(refs)}
    UNION SELECT ${a.localBugId} FROM see_also a WHERE ${a.bugId} IN (${bugIds})`
  return {
    linked: refs.length > 0 ? resolveBugs(caller, refs) : undefined,
    links: edit && linksOf(bugIds),
    targets: edit && targetsOf(caller, targetIds),
  }
}

/** The bugs of this service that the texts of an edit name; what cannot be read is passed over. */
export function localRefs(edit: EditSet, baseUrl: string): BugRef[] {
  return itemsOf(edit).flatMap((text) => {
    const target = parseTargetOrNull(text, baseUrl)
    return target?.kind === 'local' ? [target.ref] : []
  })
}

/** What a text leads to; null for what leads nowhere. */
export function parseTargetOrNull(text: string, baseUrl: string) {
  try {
    return parseTarget(text, baseUrl)
  } catch {
    return null
  }
}

function linksOf(bugIds: SQL) {
  return db
    .select(pick(seeAlso, 'bugId', 'url', 'urlFold', 'localBugId'))
    .from(seeAlso)
    .where(sql`${seeAlso.bugId} IN (${bugIds})`)
}

function targetsOf(caller: Caller, ids: SQL) {
  return db
    .select({
      id: bugs.id,
      isVisible: sql<boolean>`${visibleBugCondition(caller)}`.mapWith(Boolean).as('is_visible'),
      ...pick(bugs, 'assignedToId', 'reporterId', 'qaContactId'),
      product: sql<string>`(SELECT ${p.name} FROM products p WHERE ${p.id} = ${bugs.productId})`.as(
        'product',
      ),
      isEditable: sql<boolean>`EXISTS (SELECT 1 FROM products
        WHERE ${products.id} = ${bugs.productId} AND ${editableProductCondition(caller)})`
        .mapWith(Boolean)
        .as('is_editable'),
      controls: RIGHTS_CONTROLS.as('controls'),
    })
    .from(bugs)
    .where(sql`${bugs.id} IN (${ids})`)
}
