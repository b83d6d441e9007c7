import { eq, sql } from 'drizzle-orm'
import {
  components,
  groupControls,
  milestones,
  products,
  versions,
} from '../../../src/platform/db/schema/products.ts'
import { db, newestId } from '../../../src/platform/db/sql.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { execute } from '../database/execute.ts'
import { insertGroup } from './groups.ts'
import { insertPerson } from './people.ts'
import type { TestGroup, TestPerson, TestProduct } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

/** Inserts a product with a component, the versions `unspecified` and `1.0`, and the milestone `---`. */
export async function insertProduct(
  options: {
    isActive?: boolean
    hasUnconfirmed?: boolean
    assignee?: TestPerson
    controls?: (Partial<typeof groupControls.$inferInsert> & { group: TestGroup })[]
  } = {},
): Promise<TestProduct> {
  const name = uniqueName('Product')
  const component = uniqueName('Component')
  const assignee = options.assignee ?? (await insertPerson())
  const { isActive = true, hasUnconfirmed = true } = options
  const [row] = await execute(
    db
      .insert(products)
      .values({
        classificationId: 1,
        name,
        nameFold: fold(name),
        description: `What ${name} is`,
        isActive,
        hasUnconfirmed,
        createdAt: NOW,
      })
      .returning({ id: products.id }),
    ...['unspecified', '1.0'].map((version, i) =>
      db.insert(versions).values({
        productId: newestId(products),
        name: version,
        nameFold: version,
        isDefault: i === 0,
      }),
    ),
    db
      .insert(milestones)
      .values({ productId: newestId(products), name: '---', nameFold: '---', isDefault: true }),
    db.insert(components).values({
      productId: newestId(products),
      name: component,
      nameFold: fold(component),
      description: `What ${component} is`,
      defaultAssigneeId: assignee.id,
    }),
    ...(options.controls ?? []).map(({ group: controlled, ...control }) =>
      db
        .insert(groupControls)
        .values({ productId: newestId(products), groupId: controlled.id, ...control }),
    ),
  )
  return { id: Number(row?.id), name, component, version: 'unspecified' }
}

/** Inserts a product that only members of its group see. */
export async function insertHiddenProduct(): Promise<
  TestProduct & { group: TestGroup; ids: { productId: number; componentId: number } }
> {
  const group = await insertGroup()
  const product = await insertProduct({ controls: [{ group, memberControl: 3, otherControl: 3 }] })
  const [row] = await execute(
    db.select({ id: components.id }).from(components).where(eq(components.productId, product.id)),
  )
  return { ...product, group, ids: { productId: product.id, componentId: Number(row?.id) } }
}

/** Inserts another version or milestone of a product; returns its ID. */
export async function insertProductPart(
  table: 'versions' | 'milestones',
  of: TestProduct,
  name: string,
  more: { sortKey?: number; isActive?: boolean } = {},
): Promise<number> {
  const [row] = await execute(sql`INSERT INTO ${sql.raw(table)}
      (product_id, name, name_fold, sort_key, is_active)
    VALUES (${of.id}, ${name}, ${fold(name)}, ${more.sortKey ?? 0}, ${more.isActive === false ? 0 : 1})
    RETURNING id`)
  return Number(row?.id)
}

/** Inserts another component of a product; returns its ID. */
export async function insertComponent(
  of: TestProduct,
  row: Partial<typeof components.$inferInsert> & { defaultAssigneeId: number },
): Promise<number> {
  const name = row.name ?? uniqueName('Part')
  const [inserted] = await execute(
    db
      .insert(components)
      .values({ productId: of.id, name, nameFold: fold(name), description: '', ...row })
      .returning({ id: components.id }),
  )
  return Number(inserted?.id)
}
