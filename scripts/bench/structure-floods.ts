import type { DatabaseSync } from 'node:sqlite'
import type { Flood } from './floods.ts'

const [PRODUCTS, COMPONENTS, FLAG_TYPES] = [3_000, 5_000, 2_000]
/** Products with a component each, which have nearly as many flag types as one answer lists. */
const LISTED = 24

/** Reads of a tracker with thousands of products, to each of whose components thousands of flag types apply. */
export const STRUCTURE_FLOODS: readonly Flood[] = [
  { ...read('flag types of 5,000 components', '/rest/product'), prepare: addStructure },
  read(
    `flag types of ${LISTED} components`,
    `/rest/product?${Array.from({ length: LISTED }, (_, n) => `names=many${n + 2}`).join('&')}`,
  ),
  read('the configuration with IDs of flag types', '/rest/configuration'),
  read('the page of a product beside many flag types', '/products/many1'),
]

function read(name: string, path: string): Flood {
  return { name, request: () => ({ path }) }
}

/** The first product has all components that the others leave over. */
function addStructure(database: DatabaseSync): void {
  const add = (sql: string, count: number) =>
    database.prepare(`${sql} FROM json_each(?)`).run(JSON.stringify(numbers(count)))
  const product = `(SELECT id FROM products WHERE name = 'many' || iif(value <= ${PRODUCTS}, value, 1))`
  add(
    `INSERT INTO products (classification_id, name, name_fold, description, created_at)
      SELECT 1, 'many' || value, 'many' || value, 'One of many', 0`,
    PRODUCTS,
  )
  add(
    `INSERT INTO components (product_id, name, name_fold, description, default_assignee_id)
      SELECT ${product}, 'part' || value, 'part' || value, 'One of many', (SELECT min(id) FROM users)`,
    COMPONENTS,
  )
  add(
    `INSERT INTO versions (product_id, name, name_fold, is_default)
      SELECT ${product}, 'unspecified', 'unspecified', 1`,
    PRODUCTS,
  )
  add(
    `INSERT INTO flag_types (name, description, target)
      SELECT 'many' || value, 'One of many', 'bug'`,
    FLAG_TYPES,
  )
  database.exec(
    `INSERT INTO flag_type_scopes (flag_type_id, is_exclusion)
      SELECT id, 0 FROM flag_types WHERE description = 'One of many'`,
  )
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1)
}
