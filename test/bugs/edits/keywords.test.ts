import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { post, put } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

let place: TestProduct
let editor: TestPerson
let assignee: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let word: Record<'a' | 'b' | 'c' | 'off', string>
let bug: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  assignee = await insertPerson()
  reporter = await insertPerson()
  stranger = await insertPerson()
  place = await insertProduct({ assignee })
  const stem = uniqueName('Kw')
  word = { a: `${stem}-Ä`, b: `${stem}-b`, c: `${stem}-c`, off: `${stem}-off` }
  await execute(
    ...Object.entries(word).map(
      ([key, name]) => sql`INSERT INTO keywords (name, name_fold, description, is_active)
        VALUES (${name}, ${name.toLowerCase()}, '', ${key === 'off' ? 0 : 1})`,
    ),
  )
})

beforeEach(async () => {
  bug = await postBug(reporter, place, { keywords: [word.b] })
})

async function keywords(id = bug): Promise<unknown> {
  return (await readWholeBug(editor, id)).keywords
}

const alphabetical = (...names: string[]) =>
  names.sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))

describe('keywords', () => {
  test.each<[string, () => object, () => string[], () => [string, string] | undefined]>([
    [
      'are added in any spelling, once',
      () => ({ add: [word.c.toUpperCase(), ` ${word.c} `] }),
      () => [word.b, word.c],
      () => ['', word.c],
    ],
    [
      'may come in one text',
      () => ({ add: `${word.c}, ${word.a}` }),
      () => [word.b, word.c, word.a],
      () => ['', alphabetical(word.a, word.c).join(', ')],
    ],
    ['may be there already', () => ({ add: [word.b] }), () => [word.b], () => undefined],
    ['may be absent already', () => ({ remove: [word.c] }), () => [word.b], () => undefined],
    ['are removed', () => ({ remove: word.b }), () => [], () => [word.b, '']],
    [
      'in both lists end up removed',
      () => ({ add: [word.a, word.c], remove: [word.a, word.b] }),
      () => [word.c],
      () => [word.b, word.c],
    ],
    [
      'are set as a whole, whatever else is said',
      () => ({ set: [word.a], add: [word.c] }),
      () => [word.a],
      () => [word.b, word.a],
    ],
    ['are emptied', () => ({ set: [] }), () => [], () => [word.b, '']],
  ])('%s', async (_, edit, after, change) => {
    const words = change()
    expect(await changeBug(editor, bug, { keywords: edit() })).toEqual(
      words === undefined ? {} : { keywords: { removed: words[0], added: words[1] } },
    )
    expect(await keywords()).toEqual(alphabetical(...after()))
    expect(
      (await loadRowsOfBug('history', bug)).map(({ removed, added }) => [removed, added]),
    ).toEqual(words === undefined ? [] : [words])
  })

  test('are found in history by their folded form', async () => {
    await changeBug(editor, bug, { keywords: { add: [word.a] } })
    expect(await loadRowsOfBug('history', bug)).toMatchObject([
      { field: 'keywords', added: word.a, added_fold: word.a.toLowerCase(), author_id: editor.id },
    ])
  })

  test('of several bugs change by what each had', async () => {
    const other = await postBug(reporter, place)
    const { body } = await put(editor, `/rest/bug/${bug}`, {
      ids: [other],
      keywords: { add: [word.b] },
    })
    expect(body.bugs.map(({ changes }: { changes: object }) => changes)).toEqual([
      {},
      { keywords: { removed: '', added: word.b } },
    ])
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(1)
    expect(await loadRowsOfBug('notices', other)).toHaveLength(2)
  })

  test.each<[string, () => TestPerson, boolean]>([
    ['somebody with editbugs', () => editor, true],
    ['the assignee', () => assignee, true],
    ['the reporter', () => reporter, true],
    ['a stranger', () => stranger, false],
  ])('at the hand of %s: %s', async (_, who, may) => {
    if (may) {
      await changeBug(who(), bug, { keywords: { add: [word.c] } })
      expect(await keywords()).toContain(word.c)
    } else {
      await expectRefusal(
        () => put(who(), `/rest/bug/${bug}`, { keywords: { add: [word.c] } }),
        401,
        115,
        'keywords',
      )
      expect(await changeBug(who(), bug, { keywords: { add: [word.b] } })).toEqual({})
    }
  })

  test.each(['add', 'remove', 'set'])('that nobody knows are refused in %s', async (part) => {
    const edit = { set: [word.a], [part]: [word.b, 'no-such-word'] }
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { keywords: edit }),
      404,
      51,
      'no-such-word',
    )
  })

  test('that are switched off stay, and go, but are given to no other bug', async () => {
    await execute(sql`INSERT INTO bug_keywords (bug_id, keyword_id)
      SELECT ${bug}, id FROM keywords WHERE name = ${word.off}`)
    const other = await postBug(reporter, place)
    const keep = { keywords: { set: [word.off, word.c] } }
    expect(await changeBug(editor, bug, keep)).toMatchObject({ keywords: { added: word.c } })
    await expectRefusal(() => put(editor, `/rest/bug/${other}`, keep), 404, 51, word.off)
    await changeBug(editor, bug, { keywords: { remove: [word.off] } })
    expect(await keywords()).toEqual([word.c])
    const body = buildBugBody(place, { keywords: [word.off] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 404, 51, word.off)
  })

  test.each([['x'], [['x']], [{ add: { name: 'x' } }]])('%j is no edit', async (edit) => {
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { keywords: edit }),
      400,
      53,
      'keywords',
    )
  })

  test('a thousand and one in one edit are too many', async () => {
    const add = Array.from({ length: 1001 }, (_, i) => `k${i}`)
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { keywords: { add } }),
      400,
      53,
      '1000',
    )
  })
})
