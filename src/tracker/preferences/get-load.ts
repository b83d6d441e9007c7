import type { SQL } from 'drizzle-orm'
import type { Person } from '../../platform/access/caller.ts'
import { visiblePersonCondition } from '../../platform/access/people.ts'
import {
  accessibleProductCondition,
  visibleBugCondition,
} from '../../platform/access/visibility.ts'
import type { PersonCtx } from '../../platform/context.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { mailPreferences, users } from '../../platform/db/schema/users.ts'
import { componentWatches, ignoredBugs, personWatches } from '../../platform/db/schema/watches.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import type { Owner } from './owner.ts'

/** Selects the account and everything it prefers, with what of that is visible to the caller now. */
export function selectPreferences({
  caller,
  settings,
  owner: { condition },
}: PersonCtx & { readonly owner: Owner }) {
  const ownerId = sql`(SELECT ${users.id} FROM users WHERE ${condition})`
  return {
    owners: db
      .select({ id: users.id, login: users.login, revision: users.revision })
      .from(users)
      .where(condition),
    cells: db
      .select(pick(mailPreferences, 'role', 'event', 'wanted'))
      .from(mailPreferences)
      .where(sql`${mailPreferences.userId} = ${ownerId}`),
    watching: db
      .select({
        id: users.id,
        login: users.login,
        isVisible: isTrue(personCondition(caller, settings)),
      })
      .from(personWatches)
      .innerJoin(users, sql`${users.id} = ${personWatches.watchedId}`)
      .where(sql`${personWatches.watcherId} = ${ownerId}`)
      .orderBy(users.loginFold),
    places: db
      .select({
        productId: componentWatches.productId,
        componentId: componentWatches.componentId,
        product: sql<string>`${products.name}`.as('product'),
        component: sql<string | null>`${components.name}`.as('component'),
        isVisible: isTrue(accessibleProductCondition(caller)),
      })
      .from(componentWatches)
      .innerJoin(products, sql`${products.id} = ${componentWatches.productId}`)
      .leftJoin(components, sql`${components.id} = ${componentWatches.componentId}`)
      .where(sql`${componentWatches.watcherId} = ${ownerId}`)
      .orderBy(products.nameFold, components.nameFold),
    ignored: db
      .select({ id: bugs.id, isVisible: isTrue(visibleBugCondition(caller)) })
      .from(ignoredBugs)
      .innerJoin(bugs, sql`${bugs.id} = ${ignoredBugs.bugId}`)
      .where(sql`${ignoredBugs.userId} = ${ownerId}`)
      .orderBy(bugs.id),
  }
}

/** Whether the caller sees that the person in a row of `users` exists. */
export function personCondition(caller: Person, { USE_VISIBILITY_GROUPS }: Settings): SQL {
  return visiblePersonCondition(caller, USE_VISIBILITY_GROUPS, sql`${users.id}`)
}

function isTrue(condition: SQL) {
  return sql<boolean>`coalesce(${condition}, 0)`.mapWith(Boolean).as('is_visible')
}
