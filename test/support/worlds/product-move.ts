import { sql } from '../../../src/platform/db/sql.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct, insertProductPart } from '../builders/products.ts'
import type { TestPerson, TestProduct } from '../builders/types.ts'
import { execute } from '../database/execute.ts'

type ProductMoveWorld = {
  readonly editor: TestPerson
  readonly reporter: TestPerson
  /** Default assignee, default QA contact and default CC of all components but the first ones. */
  readonly owner: TestPerson
  readonly contact: TestPerson
  readonly follower: TestPerson
  readonly from: TestProduct
  readonly to: TestProduct
}

/** Two products that share the component Engine, the inactive version 7 and the milestone M1. */
export async function buildProductMoveWorld(): Promise<ProductMoveWorld> {
  const [owner, contact, follower] = [
    await insertPerson(),
    await insertPerson(),
    await insertPerson(),
  ]
  const [from, to] = [await insertProduct(), await insertProduct()]
  const insertComponent = (place: TestProduct, name: string, isActive = 1) =>
    execute(
      sql`INSERT INTO components (product_id, name, name_fold, description, is_active,
          default_assignee_id, default_qa_contact_id)
        VALUES (${place.id}, ${name}, ${name.toLowerCase()}, 'x', ${isActive}, ${owner.id}, ${contact.id})`,
      sql`INSERT INTO component_cc (component_id, user_id)
        SELECT max(id), ${follower.id} FROM components`,
    )
  await insertComponent(from, 'Engine')
  await insertComponent(from, 'Attic', 0)
  await insertComponent(to, 'Engine')
  await insertComponent(to, 'Body')
  await insertProductPart('versions', from, '7')
  await insertProductPart('versions', to, '7', { isActive: false })
  await insertProductPart('versions', to, '8')
  await insertProductPart('milestones', from, 'M1')
  await insertProductPart('milestones', to, 'M1')
  await insertProductPart('milestones', from, 'M2')
  await insertProductPart('milestones', to, 'M3', { isActive: false })
  return {
    ...{ owner, contact, follower, from, to },
    editor: await insertPerson({ roles: ['editbugs'] }),
    reporter: await insertPerson(),
  }
}
