import { eq, type SQL } from 'drizzle-orm'
import { hasRole, type Person } from '../../platform/access/caller.ts'
import { selectableProductCondition } from '../../platform/access/visibility.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { webhooks } from '../../platform/db/schema/webhooks.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import { webhookUnknown } from './faults.ts'

const p = aliasColumns(products, 'p')
const c = aliasColumns(components, 'c')

/** Whether the caller may manage a row of `webhooks`: the owner, and members of `admin`. */
export function manageableWebhookCondition(caller: Person): SQL {
  return hasRole(caller, 'admin') ? sql`1` : sql`${webhooks.userId} = ${caller.id}`
}

/** Selects webhooks, by ID, with the names of what they refer to, and whether the caller may know them. */
export function selectWebhooks(caller: Person, condition: SQL) {
  return db
    .select({
      id: webhooks.id,
      userId: webhooks.userId,
      login: users.login,
      ...pick(webhooks, 'name', 'url', 'events', 'productId', 'componentId'),
      product: sql<string | null>`(SELECT ${p.name} FROM products p
        WHERE ${p.id} = ${webhooks.productId})`.as('product'),
      component: sql<string | null>`(SELECT ${c.name} FROM components c
        WHERE ${c.id} = ${webhooks.componentId})`.as('component'),
      isProductHidden: sql<boolean>`EXISTS (SELECT 1 FROM products
        WHERE ${products.id} = ${webhooks.productId} AND NOT ${selectableProductCondition(caller)})`
        .mapWith(Boolean)
        .as('is_product_hidden'),
      ...pick(webhooks, 'isEnabled', 'heldAfterId', 'errors', 'headerName', 'revision'),
    })
    .from(webhooks)
    .innerJoin(users, eq(users.id, webhooks.userId))
    .where(condition)
    .orderBy(webhooks.id)
}

export type LoadedWebhook = Awaited<ReturnType<typeof selectWebhooks>>[number]

export function selectWebhook(caller: Person, id: number) {
  const condition = sql`${webhooks.id} = ${id} AND ${manageableWebhookCondition(caller)}`
  return selectWebhooks(caller, condition)
}

/** Selects the webhook of an owner that has this name, if any, in either case. */
export function selectWebhooksByName(ownerId: number | SQL, name: string) {
  return db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(sql`${webhooks.userId} = ${ownerId} AND ${webhooks.nameFold} = ${fold(name)}`)
}

/** Refuses the webhook of somebody else as a missing one. */
export function requireWebhook(rows: readonly LoadedWebhook[], id: number): LoadedWebhook {
  const [row] = rows
  if (row === undefined) {
    throw fault(webhookUnknown, { id })
  }
  return row
}
