import { type BugRef, resolveBugs } from '../../platform/access/bug-set.ts'
import type { Person } from '../../platform/access/caller.ts'
import { accessibleProductCondition } from '../../platform/access/visibility.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { db, jsonRows, sql } from '../../platform/db/sql.ts'
import { fold } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { personCondition } from './get-load.ts'
import type { PlaceName } from './update-values.ts'

/** What an update adds, as the client names it. */
type NamedItems = {
  readonly logins: readonly string[]
  readonly places: readonly PlaceName[]
  readonly bugs: readonly BugRef[]
}

/** Selects what an update names and the caller sees; `place` is the index of the name. */
export function selectNamedItems(caller: Person, settings: Settings, named: NamedItems) {
  const logins = named.logins.map((login) => ({ fold: fold(login.trim()) }))
  const places = named.places.map(({ product, component }) => ({
    product: fold(product),
    component: component === null ? null : fold(component),
  }))
  return {
    people:
      logins.length === 0
        ? undefined
        : db
            .select({
              place: sql<number>`r.key`.as('place'),
              id: sql<number>`${users.id}`.as('person_id'),
              login: sql<string>`${users.login}`.as('login'),
            })
            .from(sql`${jsonRows(logins)} JOIN users ON ${users.loginFold} = r.value ->> 'fold'`)
            .where(personCondition(caller, settings)),
    namedPlaces:
      places.length === 0
        ? undefined
        : db
            .select({
              place: sql<number>`r.key`.as('place'),
              productId: sql<number>`${products.id}`.as('product_id'),
              product: sql<string>`${products.name}`.as('product'),
              componentId: sql<number | null>`${components.id}`.as('component_id'),
              component: sql<string | null>`${components.name}`.as('component'),
            })
            .from(
              sql`${jsonRows(places)} JOIN products ON ${products.nameFold} = r.value ->> 'product'
                LEFT JOIN components ON ${components.productId} = ${products.id}
                  AND ${components.nameFold} = r.value ->> 'component'`,
            )
            .where(accessibleProductCondition(caller)),
    namedBugs: named.bugs.length === 0 ? undefined : resolveBugs(caller, named.bugs),
  }
}
