import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { post, put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

let bug: number

const editor = await insertPerson({ roles: ['editbugs'] })
const assignee = await insertPerson()
const reporter = await insertPerson()
const stranger = await insertPerson()
const place = await insertProduct({ assignee })
const stem = uniqueName('Kw')
const word: Record<'a' | 'b' | 'c' | 'off', string> = {
  a: `${stem}-Ä`,
  b: `${stem}-b`,
  c: `${stem}-c`,
  off: `${stem}-off`,
}
await execute(
  ...Object.entries(word).map(
    ([key, name]) => sql`INSERT INTO keywords (name, name_fold, description, is_active)
      VALUES (${name}, ${name.toLowerCase()}, '', ${key === 'off' ? 0 : 1})`,
  ),
)

beforeEach(async () => {
  bug = await postBug(reporter, place, { keywords: [word.b] })
})

async function keywords(id = bug): Promise<unknown> {
  return (await readWholeBug(editor, id)).keywords
}

const alphabetical = (...names: string[]) =>
  names.sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))

describe('PUT /bug with keywords', () => {
  test.each<
    [
      string,
      { edit: () => object; after: () => string[]; change: () => [string, string] | undefined },
    ]
  >([
    [
      'adds keywords in any case, each once',
      {
        edit: () => ({ add: [word.c.toUpperCase(), ` ${word.c} `] }),
        after: () => [word.b, word.c],
        change: () => ['', word.c],
      },
    ],
    [
      'accepts keywords in one string',
      {
        edit: () => ({ add: `${word.c}, ${word.a}` }),
        after: () => [word.b, word.c, word.a],
        change: () => ['', alphabetical(word.a, word.c).join(', ')],
      },
    ],
    [
      'ignores additions of keywords that the bug has',
      { edit: () => ({ add: [word.b] }), after: () => [word.b], change: () => undefined },
    ],
    [
      'ignores removals of keywords that the bug does not have',
      { edit: () => ({ remove: [word.c] }), after: () => [word.b], change: () => undefined },
    ],
    [
      'removes keywords',
      { edit: () => ({ remove: word.b }), after: () => [], change: () => [word.b, ''] },
    ],
    [
      'removes keywords that are in both lists',
      {
        edit: () => ({ add: [word.a, word.c], remove: [word.a, word.b] }),
        after: () => [word.c],
        change: () => [word.b, word.c],
      },
    ],
    [
      'sets keywords as a whole and ignores the rest of the edit',
      {
        edit: () => ({ set: [word.a], add: [word.c] }),
        after: () => [word.a],
        change: () => [word.b, word.a],
      },
    ],
    [
      'removes all keywords by an empty set',
      { edit: () => ({ set: [] }), after: () => [], change: () => [word.b, ''] },
    ],
  ])('%s', async (_, { edit, after, change }) => {
    const changed = change()
    expect(await changeBug(editor, bug, { keywords: edit() })).toEqual(
      changed === undefined ? {} : { keywords: { removed: changed[0], added: changed[1] } },
    )
    expect(await keywords()).toEqual(alphabetical(...after()))
    expect(
      (await loadRowsOfBug('history', bug)).map(({ removed, added }) => [removed, added]),
    ).toEqual(changed === undefined ? [] : [changed])
  })

  test('records the folded form of keywords', async () => {
    await changeBug(editor, bug, { keywords: { add: [word.a] } })
    expect(await loadRowsOfBug('history', bug)).toMatchObject([
      { field: 'keywords', added: word.a, added_fold: word.a.toLowerCase(), author_id: editor.id },
    ])
  })

  test('changes each of several bugs according to what it had', async () => {
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

  test.each<{ who: string; person: () => TestPerson; isAllowed: boolean }>([
    { who: 'somebody with editbugs', person: () => editor, isAllowed: true },
    { who: 'the assignee', person: () => assignee, isAllowed: true },
    { who: 'the reporter', person: () => reporter, isAllowed: true },
    { who: 'a stranger', person: () => stranger, isAllowed: false },
  ])('is allowed to $who: $isAllowed', async ({ person, isAllowed }) => {
    if (isAllowed) {
      await changeBug(person(), bug, { keywords: { add: [word.c] } })
      expect(await keywords()).toContain(word.c)
    } else {
      await expectRefusal(
        () => put(person(), `/rest/bug/${bug}`, { keywords: { add: [word.c] } }),
        115,
        'keywords',
      )
      expect(await changeBug(person(), bug, { keywords: { add: [word.b] } })).toEqual({})
    }
  })

  test.each(['add', 'remove', 'set'])('rejects unknown keywords in %s with 51', async (part) => {
    const edit = { set: [word.a], [part]: [word.b, 'no-such-word'] }
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { keywords: edit }),
      51,
      'no-such-word',
    )
  })

  test('keeps and removes inactive keywords, but adds them to no other bug', async () => {
    await execute(sql`INSERT INTO bug_keywords (bug_id, keyword_id)
      SELECT ${bug}, id FROM keywords WHERE name = ${word.off}`)
    const other = await postBug(reporter, place)
    const keep = { keywords: { set: [word.off, word.c] } }
    expect(await changeBug(editor, bug, keep)).toMatchObject({ keywords: { added: word.c } })
    await expectRefusal(() => put(editor, `/rest/bug/${other}`, keep), 51, word.off)
    await changeBug(editor, bug, { keywords: { remove: [word.off] } })
    expect(await keywords()).toEqual([word.c])
    const body = buildBugBody(place, { keywords: [word.off] })
    await expectRefusal(() => post(editor, '/rest/bug', body), 51, word.off)
  })

  test.each([['x'], [['x']], [{ add: { name: 'x' } }]])('rejects %j with 53', async (edit) => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, { keywords: edit }), 53, 'keywords')
  })

  test('rejects an edit of 1,001 keywords with 53', async () => {
    const add = Array.from({ length: 1001 }, (_, i) => `k${i}`)
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, { keywords: { add } }), 53, '1000')
  })
})
