import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ANYONE, expectFault, get } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'
import { buildSearchWorld } from '../../../support/worlds/search-world.ts'

const world = await buildSearchWorld()

describe('a search parameter', () => {
  test('takes %user% for the caller', async () => {
    for (const word of ['%25user%25', '%25self%25']) {
      expect(await world.findLetters(`{here}&assigned_to=${word}`, world.editor)).toBe('acd')
      expect(await world.findLetters(`{here}&assigned_to=${word},{reporter}`, world.editor)).toBe(
        'abcd',
      )
      expect(await world.findLetters(`{here}&assigned_to=${word},{reporter}`)).toBe('b')
    }
    expect(await world.findLetters('{here}&triage_owner=%25user%25', world.insider)).toBe('abcd')
  })

  test('finds bugs by the tags of the caller, under either name', async () => {
    expect(await world.findLetters('{here}&tags=to%20do', world.reporter)).toBe('b')
    expect(await world.findLetters('tag=TO%20DO&tags=nonsense', world.editor)).toBe('c')
    expect(await world.findLetters('tag=nonsense', world.editor)).toBe('')
  })

  test('counts and compares only comments that the caller may see', async () => {
    expect(await world.findLetters('{here}&longdescs.count=3', world.insider)).toBe('c')
    expect(await world.findLetters('{here}&longdescs.count=3', world.reporter)).toBe('')
    await execute(sql`UPDATE comments SET is_private = 1 WHERE bug_id = ${world.bugs.b ?? 0}`)
    expect(await world.findLetters('{here}&description=???', world.insider)).toBe('b')
    expect(await world.findLetters('{here}&description=???', world.reporter)).toBe('')
    await execute(sql`UPDATE comments SET is_private = 0 WHERE bug_id = ${world.bugs.b ?? 0}`)
  })

  test('counts the comments of long discussions that the caller may see', async () => {
    const bug = world.bugs.a ?? 0
    const [author] = await execute(sql`SELECT reporter_id FROM bugs WHERE id = ${bug}`)
    await execute(sql`INSERT INTO comments (bug_id, number, author_id, body, is_private, created_at)
      SELECT ${bug}, 1000 + value, ${Number(author?.reporter_id)}, 'more', value > 24, 1
      FROM json_each(${JSON.stringify(Array.from({ length: 30 }, (_, n) => n + 1))})`)
    const chart = (operator: string, value: number) =>
      `{here}&f1=longdescs.count&o1=${operator}&v1=${value}`
    const own = Number(
      (await execute(sql`SELECT public_comment_count AS n FROM bugs WHERE id = ${bug}`))[0]?.n,
    )
    for (const [who, count] of [
      [world.insider, own + 6],
      [world.reporter, own],
    ] as const) {
      expect(await world.findLetters(chart('equals', count), who)).toBe('a')
      expect(await world.findLetters(chart('equals', count + 1), who)).toBe('')
      expect(await world.findLetters(chart('greaterthan', count - 1), who)).toBe('a')
      expect(await world.findLetters(chart('greaterthan', count), who)).toBe('')
      expect(await world.findLetters(chart('greaterthaneq', count), who)).toBe('a')
      expect(await world.findLetters(chart('greaterthaneq', count + 1), who)).toBe('')
    }
    await execute(sql`DELETE FROM comments WHERE bug_id = ${bug} AND number > 1000`)
  })

  test('is combined with all others by AND', async () => {
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
    expect(await world.findLetters(all.join('&'), world.reporter)).toBe('b')
    const whole = world.fillQuery(`${all.join('&')}&include_fields=_all&order=bug_list&limit=5`)
    const answer = await get(world.reporter, `/rest/bug?${whole}`)
    expect(answer.body.bugs.map((bug: { id: number }) => bug.id)).toEqual([world.bugs.b])
    for (const other of ['url=x', 'whiteboard=x', 'alias=x', 'priority=P2']) {
      const more = world.fillQuery(
        [...all.filter((one) => !one.startsWith('priority')), other].join('&'),
      )
      expect(await world.findLetters(more, world.reporter), other).toBe('')
    }
  })

  test.each(['url', 'assigned_to', 'alias', 'status', 'tags'])(
    'accepts hundreds of values of %s',
    async (name) => {
      const values = Array.from({ length: 500 }, (_, i) => `${name}=${i}abc`).join('&')

      expect(await world.findLetters(`{here}&${values}`, world.reporter)).toBe('')
    },
  )

  test.each(['summary', 'whiteboard'])(
    'accepts 300 texts to find in %s, and rejects more with 32000',
    async (name) => {
      const values = (count: number) =>
        Array.from({ length: count }, (_, i) => `${name}=${i}abc`).join('&')

      expect(await world.findLetters(`{here}&${values(299)}`, world.reporter)).toBe('')
      expectFault(await get(world.reporter, `/rest/bug?${values(301)}`), 400, 32000, '300')
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
  ])('takes %j literally', async (value) => {
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
      const answer = await get(world.reporter, `/rest/bug?${query}&include_fields=id`)
      expect(answer.status, `${name} ${answer.text}`).toBe(200)
      expect(answer.body.bugs).not.toContainEqual({ id: world.bugs.b })
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
  ])('is missing in %j, which is rejected with 1000', async (query) => {
    expectFault(await get(ANYONE, `/rest/bug?${query}`), 400, 1000)
    expectFault(await get(ANYONE, `/rest/bug/?${query}`), 400, 1000)
  })

  test.each([
    ['prodcut=a&Votes=2&limit=5', "Not understood: 'prodcut', 'Votes'."],
    [
      'nonsense=1&constructor=1&cf_missing=1',
      "Not understood: 'nonsense', 'constructor', 'cf_missing'.",
    ],
    ['blank=&other=%20&one=%20,x', "Not understood: 'one'."],
    ['nonsense_type=equals&product_type=anyexact', "Not understood: 'nonsense_type'."],
    ['Limit=5&quickSearch=x', "Not understood: 'Limit', 'quickSearch'."],
    ['estimated_time=1', "Not understood: 'estimated_time'."],
    [Array.from({ length: 12 }, (_, n) => `x${n}=1`).join('&'), "'x8', 'x9' and 2 more."],
    ['deadlinefrom=2024-01-01', "Not understood: 'deadlinefrom'."],
    [`${'long'.repeat(40)}=1`, `Not understood: '${'long'.repeat(15)}'.`],
  ])(
    'is missing in %j, and the refusal names what it did not understand',
    async (query, naming) => {
      expectFault(await get(ANYONE, `/rest/bug?${query}`), 400, 1000, naming)
    },
  )

  test.each([
    'product=&status=__all__&limit=5&order=bug_id&count_total=1',
    'email1=a@b.test&emailtype1=exact&chfield=alias',
    'query_format=advanced&list_id=1&columnlist=all&api_key=k&token=&short_desc_type=allwords&j_top=OR',
  ])('is missing in %j, all of which is understood', async (query) => {
    const answer = await get(ANYONE, `/rest/bug?${query}`)
    expect(answer.body.message, answer.text).not.toContain('Not understood')
  })
})
