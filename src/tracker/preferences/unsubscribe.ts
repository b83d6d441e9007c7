import { and, eq } from 'drizzle-orm'
import type { Ctx } from '../../platform/context.ts'
import { commit, retryOnConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { componentWatches, ignoredBugs, personWatches } from '../../platform/db/schema/watches.ts'
import { db, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import type { Subscription } from '../notices/unsubscription.ts'
import { presentListEdit } from './edit-list.ts'
import { writeParts } from './update.ts'

/**
 * Changes the preferences of whoever got a mail so that such mails stop: they watch no more, or else ignore the bug.
 * Nothing is checked but the subscription, which only a mail holds, and doing it again changes nothing.
 */
export function unsubscribe(ctx: Ctx, subscription: Subscription): Promise<void> {
  return retryOnConflict(ctx, async (ctx) => {
    const read = await readBatch(ctx, selectSubscription(subscription))
    const [owner] = read.owners
    if (owner === undefined) {
      return
    }
    const visible = { isVisible: true }
    const watching = {
      added: read.watching.slice(0, 0),
      removed: read.watching.map((row) => ({ ...row, ...visible })),
    }
    const places = {
      added: read.places.slice(0, 0),
      removed: read.places.map((row) => ({ ...row, ...visible })),
    }
    const ignored = { added: endsWatching(subscription) ? [] : read.bugs, removed: [] }
    const changes = Object.entries({
      watching: presentListEdit(watching, ({ login }) => login),
      watching_components: presentListEdit(places, ({ product, component }) =>
        component === null ? product : `${product}: ${component}`,
      ),
      ignored_bugs: presentListEdit(ignored, ({ id }) => String(id)),
    }).flatMap(([name, change]) => (change === undefined ? [] : [[name, change] as const]))
    const decision = {
      ownerId: owner.id,
      revision: owner.revision,
      cells: [],
      watching,
      places,
      ignored,
      changes: Object.fromEntries(changes),
    }
    await commit(ctx, writeParts({ caller: owner, now: ctx.now }, decision))
  })
}

/** Whether it stops watching; a mail about a bug otherwise. */
export function endsWatching({ watchedIds, isOfPlace }: Subscription): boolean {
  return isOfPlace || watchedIds.length > 0
}

function selectSubscription({ personId, bugId, watchedIds, isOfPlace }: Subscription) {
  return {
    owners: db
      .select(pick(users, 'id', 'revision'))
      .from(users)
      .where(eq(users.id, personId)),
    watching: db
      .select(pick(users, 'id', 'login'))
      .from(personWatches)
      .innerJoin(users, eq(users.id, personWatches.watchedId))
      .where(
        sql`${personWatches.watcherId} = ${personId} AND ${personWatches.watchedId} IN ${jsonList(watchedIds)}`,
      ),
    places: db
      .select({
        ...pick(componentWatches, 'productId', 'componentId'),
        product: sql<string>`${products.name}`.as('product'),
        component: sql<string | null>`${components.name}`.as('component'),
      })
      .from(componentWatches)
      .innerJoin(bugs, eq(bugs.productId, componentWatches.productId))
      .innerJoin(products, eq(products.id, componentWatches.productId))
      .leftJoin(components, eq(components.id, componentWatches.componentId))
      .where(
        sql`${isOfPlace ? 1 : 0} AND ${componentWatches.watcherId} = ${personId} AND ${bugs.id} = ${bugId}
          AND coalesce(${componentWatches.componentId}, ${bugs.componentId}) = ${bugs.componentId}`,
      ),
    bugs: db
      .select(pick(bugs, 'id'))
      .from(bugs)
      .leftJoin(ignoredBugs, and(eq(ignoredBugs.bugId, bugs.id), eq(ignoredBugs.userId, personId)))
      .where(sql`${bugs.id} = ${bugId} AND ${ignoredBugs.bugId} IS NULL`),
  }
}
