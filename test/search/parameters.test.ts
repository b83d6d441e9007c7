import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { postBug, updateBugRow } from '../support/builders/bugs.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../support/builders/types.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put, type Sender } from '../support/client.ts'
import { searchBugIds } from '../support/clients/bugs.ts'
import { execute } from '../support/database/execute.ts'

let reporter: TestPerson
let editor: TestPerson
let insider: TestPerson
let place: TestProduct
let elsewhere: TestProduct
/** The bugs of `place`, by the letters that the tables use. */
let bugs: Record<string, number>
const alias = uniqueName('Álias')
const mark = uniqueName('Mark')
const classification = uniqueName('Class, ific')

beforeAll(async () => {
  reporter = await insertPerson()
  editor = await insertPerson({ roles: ['editbugs'] })
  insider = await insertPerson({ roles: ['insider', 'editbugs'] })
  place = await insertProduct({ assignee: editor })
  elsewhere = await insertProduct({ assignee: editor })
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
  bugs = { a, b, c, d, e: await postBug(editor, elsewhere, { summary: 'e', status: 'CONFIRMED' }) }
})

/** The letters of the bugs that a search finds, in order. */
async function letters(query: string, who: Sender = ANYONE): Promise<string> {
  const ids = await searchBugIds(query, who)
  const counted = await get(who, `/rest/bug?${query}&count_only=1`)
  expect(counted.body, 'the count is that of the bugs').toEqual({ bug_count: ids.length })
  return ids.map((id) => Object.keys(bugs).find((letter) => bugs[letter] === id) ?? '?').join('')
}

/** A query with the things of this world filled in; `here` limits it to the first product. */
function filledIn(query: string): string {
  const words: Record<string, string> = {
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
    a: String(bugs.a),
    b: String(bugs.b),
    c: String(bugs.c),
  }
  return query.replace(/\{(\w+)\}/g, (_, word) => words[word] ?? '?')
}

describe('a criterion', () => {
  test.each([
    // id
    ['id={a}', 'a'],
    ['bug_id={a}', 'a'],
    ['id={a},{b}', 'ab'],
    ['id={b}&bug_id={a}', 'ab'],
    ['id=%20{b}%20,{a},{b}', 'ab'],
    ['id=00{a}', 'a'],
    ['id={a},nonsense,-1', 'a'],
    ['id=nonsense', ''],
    ['id=2147483648', ''],
    ['id=99999999999999999999', ''],
    ['id={alias}', ''],
    // alias
    ['alias={alias}', 'a'],
    ['alias=x,{alias}', 'a'],
    ['alias=x', ''],
    // product, component, classification
    ['product={product}', 'abcd'],
    ['product=%20{product}%20', 'abcd'],
    ['product={product}&product={elsewhere}', 'abcde'],
    ['product={product},{elsewhere}', ''],
    ['product=nonsense', ''],
    ['product=nonsense&product={elsewhere}', 'e'],
    ['component={component}', 'abcd'],
    ['component={component}&product={product}', 'abcd'],
    ['component={component}&component=nonsense&product={product}', 'abcd'],
    ['component={component}&product={elsewhere}', ''],
    ['component={component}&product={elsewhere}&product={product}', 'abcd'],
    ['classification={classification}', 'e'],
    ['classification={classification}&{here}', ''],
    // status and resolution
    ['{here}&status=CONFIRMED', 'b'],
    ['{here}&bug_status=confirmed', 'b'],
    ['{here}&status=CONFIRMED&status=IN_PROGRESS', 'bc'],
    ['{here}&status=CONFIRMED,IN_PROGRESS', ''],
    ['{here}&status=nonsense', ''],
    ['{here}&status=__open__', 'abc'],
    ['{here}&status=__closed__', 'd'],
    ['{here}&status=__open__&status=RESOLVED', 'abcd'],
    ['{here}&status=__closed__&status=CONFIRMED', 'bd'],
    ['{here}&status=__open__&bug_status=__closed__', 'abcd'],
    ['{here}&status=__all__', 'abcd'],
    ['{here}&status=__all__&status=CONFIRMED', 'abcd'],
    ['{here}&resolution=FIXED', 'd'],
    ['{here}&resolution=fixed&resolution=INVALID', 'd'],
    ['{here}&resolution=', 'abc'],
    ['{here}&resolution=---', 'abc'],
    ['{here}&resolution=---&resolution=', 'abc'],
    ['{here}&resolution=---&resolution=FIXED', 'abcd'],
    ['{here}&resolution=nonsense', ''],
    // the other select fields, version and milestone
    ['{here}&type=task', 'b'],
    ['{here}&bug_type=TASK&type=defect', 'abcd'],
    ['{here}&priority=p1', 'b'],
    ['{here}&priority=P1&priority=--', 'abcd'],
    ['{here}&severity=S1', 'b'],
    ['{here}&bug_severity=s1', 'b'],
    ['{here}&platform=pc', 'a'],
    ['{here}&rep_platform=PC', 'a'],
    ['{here}&op_sys=linux', 'a'],
    ['{here}&version=1.0', 'b'],
    ['{here}&version=1.0&version=unspecified', 'abcd'],
    ['{here}&target_milestone=M,%201', 'b'],
    ['{here}&target_milestone=---', 'acd'],
    // texts
    ['summary={mark}', 'a'],
    ['summary=nonsense-{mark}', ''],
    ['summary=nonsense-{mark}&summary={mark}', 'a'],
    ['{here}&summary=GRÖSSE', ''],
    ['{here}&summary=größe', 'a'],
    ['{here}&summary=GRÖßE', 'a'],
    ['{here}&summary=öß', 'a'],
    ['{here}&summary=100%25_*', 'a'],
    ['{here}&summary=%25%25%25', ''],
    ['{here}&summary=%22{mark}%22%20button', 'a'],
    ['{here}&summary=the%20%22', 'a'],
    ['{here}&summary=of%20button', ''],
    ['{here}&summary=[', 'a'],
    ['{here}&summary=b&summary=nonsense', 'ab'],
    ['{here}&whiteboard=ÄRGER', 'a'],
    ['{here}&whiteboard=a,b', 'a'],
    ['{here}&whiteboard=nonsense&whiteboard=[', 'a'],
    ['{here}&url=HTTPS://x.test/path,1', 'a'],
    ['{here}&url=https://x.test', ''],
    ['{here}&description=die%20größe%20ist%20ärger:%20«50%25»,%20NO?', ''],
    ['{here}&description=die%20grÖSSE%20ist%20äRGER:%20«50%25»,%20NO?', 'a'],
    ['{here}&description=Die%20GRÖSSE%20ist%20Ärger:%20«50%25»,%20no!', ''],
    ['{here}&description=Die%20GRÖSSE%20ist%20Ärger', ''],
    ['{here}&description=???', 'b'],
    ['{here}&description=??', ''],
    ['{here}&description=nonsense&description=???', 'b'],
    // people
    ['{here}&assigned_to={editor}', 'acd'],
    ['{here}&assigned_to={reporter}', 'b'],
    ['{here}&assigned_to={reporter}&assigned_to={editor}', 'abcd'],
    ['{here}&assigned_to={reporter},{editor}', 'abcd'],
    ['{here}&assigned_to={reporter}%20{editor}', 'abcd'],
    ['{here}&assigned_to=person', ''],
    ['{here}&assigned_to=,', ''],
    ['{here}&creator={reporter}', 'a'],
    ['{here}&reporter={reporter}', 'a'],
    ['{here}&qa_contact={insider}', 'b'],
    ['triage_owner={insider}', 'abcd'],
    ['{here}&triage_owner={editor}', ''],
    ['{here}&assigned_to=%25user%25', ''],
    // others
    ['{here}&filed_via=api', 'acd'],
    ['{here}&filed_via=Standard_Form', 'b'],
    ['{here}&tags=to%20do', ''],
    ['{here}&creation_time=2020-09-13T12:26:41Z', 'bcd'],
    ['{here}&creation_ts=2020-09-13T12:26:40Z', 'abcd'],
    ['{here}&creation_time=7d', 'cd'],
    ['{here}&creation_time=%2B1d', ''],
    ['{here}&creation_time=nonsense', ''],
    ['{here}&creation_time=2020-02-30', ''],
    ['{here}&creation_time=2020-01-01&creation_time=nonsense', 'abcd'],
    ['{here}&last_change_time=2022-04-15', 'bcd'],
    ['{here}&delta_ts=2022-04-16', 'cd'],
    ['{here}&delta_ts=-1y&creation_time=%2B1h', ''],
    ['{here}&longdescs.count=2', 'c'],
    ['{here}&longdescs_count=1', 'abd'],
    ['{here}&comment_count=1&comment_count=2', 'abcd'],
    ['{here}&longdescs.count=nonsense', ''],
    ['{here}&longdescs.count=-1&longdescs.count=2', 'c'],
  ])('%s finds %j', async (query, expected) => {
    expect(await letters(filledIn(query))).toBe(expected)
  })

  test('means the caller by %user%', async () => {
    for (const word of ['%25user%25', '%25Self%25']) {
      expect(await letters(filledIn(`{here}&assigned_to=${word}`), editor)).toBe('acd')
      expect(await letters(filledIn(`{here}&assigned_to=${word},{reporter}`), editor)).toBe('abcd')
      expect(await letters(filledIn(`{here}&assigned_to=${word},{reporter}`))).toBe('b')
    }
    expect(await letters(filledIn('{here}&triage_owner=%25user%25'), insider)).toBe('abcd')
  })

  test("finds by the caller's own tags, under either name", async () => {
    expect(await letters(filledIn('{here}&tags=to%20do'), reporter)).toBe('b')
    expect(await letters(filledIn('tag=TO%20DO&tags=nonsense'), editor)).toBe('c')
    expect(await letters(filledIn('tag=nonsense'), editor)).toBe('')
  })

  test('counts and compares only the comments that the caller may see', async () => {
    expect(await letters(filledIn('{here}&longdescs.count=3'), insider)).toBe('c')
    expect(await letters(filledIn('{here}&longdescs.count=3'), reporter)).toBe('')
    await execute(sql`UPDATE comments SET is_private = 1 WHERE bug_id = ${bugs.b ?? 0}`)
    expect(await letters(filledIn('{here}&description=???'), insider)).toBe('b')
    expect(await letters(filledIn('{here}&description=???'), reporter)).toBe('')
    await execute(sql`UPDATE comments SET is_private = 0 WHERE bug_id = ${bugs.b ?? 0}`)
  })

  test('is joined with all others by AND', async () => {
    const all = [
      ...['id={b},{a}', 'product={product}', 'component={component}', 'status=__open__'],
      ...[
        'resolution=',
        'type=task',
        'priority=P1',
        'severity=S1',
        'version=1.0',
        'creator={editor}',
      ],
      ...[
        'target_milestone=M,%201',
        'assigned_to={reporter}',
        'qa_contact={insider}',
        'op_sys=Unspecified',
      ],
      ...['triage_owner={insider}', 'filed_via=standard_form', 'summary=b', 'description=???'],
      ...[
        'creation_time=2020-01-01',
        'last_change_time=2020-01-01',
        'longdescs.count=1',
        'tags=To%20Do',
      ],
      ...['classification=Unclassified', 'platform=Unspecified'],
    ]
    expect(await letters(filledIn(all.join('&')), reporter)).toBe('b')
    const whole = filledIn(`${all.join('&')}&include_fields=_all&order=bug_list&limit=5`)
    const answer = await get(reporter, `/rest/bug?${whole}`)
    expect(answer.body.bugs.map((bug: { id: number }) => bug.id)).toEqual([bugs.b])
    for (const other of ['url=x', 'whiteboard=x', 'alias=x', 'priority=P2']) {
      const more = filledIn([...all.filter((one) => !one.startsWith('priority')), other].join('&'))
      expect(await letters(more, reporter), other).toBe('')
    }
  })

  test.each(['url', 'assigned_to', 'alias', 'status', 'tags'])(
    'takes hundreds of values of %s',
    async (name) => {
      const values = Array.from({ length: 500 }, (_, i) => `${name}=${i}abc`).join('&')

      expect(await letters(filledIn(`{here}&${values}`), reporter)).toBe('')
    },
  )

  test.each(['summary', 'whiteboard', 'description'])(
    'takes 20 texts to look for in %s, and refuses more',
    async (name) => {
      const values = (count: number) =>
        Array.from({ length: count }, (_, i) => `${name}=${i}abc`).join('&')

      expect(await letters(filledIn(`{here}&${values(20)}`), reporter)).toBe('')
      expectFault(await get(reporter, `/rest/bug?${values(21)}`), 400, 32000, '20')
    },
  )

  test.each([
    ...["'", '"', '""', '%', '*', '\\', '\0', 'a\0bc', '\u{1F600}', '\u{1F600}\u{1F600}\u{1F600}'],
    ...[
      'a:b',
      '-abc',
      'abc OR def',
      'NEAR(a b)',
      '^abc',
      '(abc',
      '{abc',
      'abc*',
      '+++',
      '\ud800abc',
    ],
    ...['[object Object]', "'; DROP TABLE bugs; --", '$.id', 'x'.repeat(9000), 'ß ẞ ﬁ İ ı Σ ς'],
  ])('takes %j for a value like any other', async (value) => {
    for (const name of [
      'summary',
      'description',
      'whiteboard',
      'url',
      'alias',
      'product',
      'tags',
    ]) {
      const query = `${name}=${encodeURIComponent(value.toWellFormed())}`
      const answer = await get(reporter, `/rest/bug?${query}&include_fields=id`)
      expect(answer.status, `${name} ${answer.text}`).toBe(200)
      expect(answer.body.bugs).not.toContainEqual({ id: bugs.b })
    }
  })

  test.each([
    '',
    'status=__all__',
    'status=&priority=%20&summary=&assigned_to=',
    'nonsense=1&constructor=1&__proto__=1&toString=x',
    'limit=5&order=bug_id&include_fields=id&query_format=advanced&list_id=1',
    'product_type=anyexact&emailtype1=exact&email1=a@b.test',
    'count_only=1',
  ])('is missing in %j', async (query) => {
    expectFault(await get(ANYONE, `/rest/bug?${query}`), 400, 1000)
    expectFault(await get(ANYONE, `/rest/bug/?${query}`), 400, 1000)
  })
})
