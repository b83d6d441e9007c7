import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { postBug, updateBugRow } from '../builders/bugs.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct } from '../builders/products.ts'
import type { TestPerson } from '../builders/types.ts'
import { uniqueName } from '../builders/unique.ts'
import { ANYONE, get, post, put, type Sender } from '../client.ts'
import { searchBugIds } from '../clients/bugs.ts'
import { execute } from '../database/execute.ts'

type SearchWorld = {
  readonly reporter: TestPerson
  readonly editor: TestPerson
  readonly insider: TestPerson
  /** Bugs `a` to `d` of one product and `e` of another. */
  readonly bugs: Readonly<Record<string, number>>
  /** A query with the names of this world in place of those in braces; `{here}` limits it to the first product. */
  fillQuery(query: string): string
  /** The letters of the bugs that a filled query finds, in order. */
  findLetters(query: string, who?: Sender): Promise<string>
}

/** Five bugs that differ in every field that a search parameter names. */
export async function buildSearchWorld(): Promise<SearchWorld> {
  const [alias, mark] = [uniqueName('Álias'), uniqueName('Mark')]
  const classification = uniqueName('Class, ific')
  const reporter = await insertPerson()
  const editor = await insertPerson({ roles: ['editbugs'] })
  const insider = await insertPerson({ roles: ['insider', 'editbugs'] })
  const place = await insertProduct({ assignee: editor })
  const elsewhere = await insertProduct({ assignee: editor })
  await execute(
    sql`INSERT INTO classifications (name, name_fold) VALUES (${classification}, ${classification.toLowerCase()})`,
    sql`UPDATE products SET classification_id = (SELECT max(id) FROM classifications) WHERE id = ${elsewhere.id}`,
    sql`INSERT INTO milestones (product_id, name, name_fold, sort_key) VALUES (${place.id}, 'M, 1', 'm, 1', 10)`,
    sql`UPDATE components SET triage_owner_id = ${insider.id} WHERE product_id = ${place.id}`,
  )
  const a = await postBug(reporter, place, {
    summary: `Größe of the "${mark}" BUTTON is 100%_*[x]`,
    description: 'Die GRÖSSE ist Ärger: «50%», no?',
    whiteboard: '[a,b] Ärger',
    url: 'https://x.test/Path,1',
    op_sys: 'Linux',
    platform: 'PC',
    alias,
  })
  const b = await postBug(editor, place, {
    status: 'CONFIRMED',
    priority: 'P1',
    severity: 'S1',
    type: 'task',
    version: '1.0',
    target_milestone: 'M, 1',
    assigned_to: reporter.login,
    qa_contact: insider.login,
    description: '???',
    filed_via: 'standard_form',
    summary: 'b',
  })
  const c = await postBug(editor, place, { status: 'IN_PROGRESS', summary: 'c' })
  const d = await postBug(editor, place, { status: 'CONFIRMED', summary: 'd' })
  await put(editor, `/rest/bug/${d}`, { status: 'RESOLVED', resolution: 'FIXED' })
  await post(insider, `/rest/bug/${c}/comment`, { comment: 'hush', is_private: true })
  await post(reporter, `/rest/bug/${c}/comment`, { comment: 'well' })
  await updateBugRow(a, { created_at: 1_600_000_000, changed_at: 1_600_000_000 })
  await updateBugRow(b, { created_at: 1_600_000_001, changed_at: 1_650_000_000 })
  await execute(sql`INSERT INTO bug_tags (user_id, bug_id, name, name_fold)
    VALUES (${reporter.id}, ${b}, 'To Do', 'to do'), (${editor.id}, ${c}, 'To Do', 'to do')`)
  const bugs = {
    a,
    b,
    c,
    d,
    e: await postBug(editor, elsewhere, { summary: 'e', status: 'CONFIRMED' }),
  }
  const names: Record<string, string> = {
    here: `product=${place.name}`,
    product: place.name,
    elsewhere: elsewhere.name,
    component: place.component,
    reporter: reporter.login,
    editor: editor.login,
    insider: insider.login,
    classification: encodeURIComponent(classification),
    alias: encodeURIComponent(alias),
    mark,
    a: String(a),
    b: String(b),
    c: String(c),
  }
  const fillQuery = (query: string) => query.replace(/\{(\w+)\}/g, (_, name) => names[name] ?? '?')
  return {
    ...{ reporter, editor, insider, bugs },
    fillQuery,
    findLetters: (query, who = ANYONE) => findLetters(bugs, fillQuery(query), who),
  }
}

async function findLetters(
  bugs: Readonly<Record<string, number>>,
  query: string,
  who: Sender,
): Promise<string> {
  const ids = await searchBugIds(query, who)
  const { body } = await get(who, `/rest/bug?${query}&count_only=1`)
  expect(body, 'the count is that of the bugs').toEqual({ bug_count: ids.length })
  return ids.map((id) => Object.keys(bugs).find((letter) => bugs[letter] === id) ?? '?').join('')
}
