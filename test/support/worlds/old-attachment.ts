import { sql } from '../../../src/platform/db/sql.ts'
import { postAttachment } from '../builders/attachments.ts'
import { postBug } from '../builders/bugs.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct } from '../builders/products.ts'
import type { TestPerson, TestProduct } from '../builders/types.ts'
import { NOW } from '../builders/unique.ts'
import { execute } from '../database/execute.ts'

/** When the bug and the attachment of `postOldAttachment` last changed. */
export const LONG_AGO = NOW - 1_000_000

type AttachmentWorld = {
  readonly place: TestProduct
  readonly author: TestPerson
  readonly editor: TestPerson
  readonly insider: TestPerson
  readonly stranger: TestPerson
}

/** A product, and the people who meet at an attachment. The insider may edit bugs too. */
export async function buildAttachmentWorld(): Promise<AttachmentWorld> {
  return {
    author: await insertPerson(),
    editor: await insertPerson({ roles: ['editbugs'] }),
    insider: await insertPerson({ roles: ['insider', 'editbugs'] }),
    stranger: await insertPerson(),
    place: await insertProduct(),
  }
}

/** Files a bug with an attachment, as old as `LONG_AGO` and without notices. */
export async function postOldAttachment(
  author: TestPerson,
  place: TestProduct,
): Promise<{ bug: number; id: number }> {
  const bug = await postBug(author, place)
  const id = await postAttachment(author, bug)
  await execute(
    sql`UPDATE attachments SET created_at = ${LONG_AGO}, changed_at = ${LONG_AGO} WHERE id = ${id}`,
    sql`UPDATE bugs SET changed_at = ${LONG_AGO} WHERE id = ${bug}`,
    sql`DELETE FROM notices WHERE bug_id = ${bug}`,
  )
  return { bug, id }
}
