import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../support/builders/attachments.ts'
import { postBug, updateBugRow } from '../support/builders/bugs.ts'
import { insertCustomField, setCustomValue } from '../support/builders/fields.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, get, post, put, type Sender } from '../support/client.ts'
import { execute } from '../support/database/execute.ts'
import { DEFAULT_FIELDS, EXTRA_FIELDS } from '../support/tables/bug-fields.ts'

/**
 * The field selection of the README of the reference, on a bug with a value in every field that the caller
 * sees whole. Expectations come from the
 * reference, not from the tables of the service.
 */

const PERSON = ['id', 'real_name', 'nick', 'name', 'email']
const SUBFIELDS: Record<string, string[]> = {
  assigned_to: PERSON,
  creator: PERSON,
  qa_contact: PERSON,
  triage_owner: PERSON,
  cc: PERSON,
  flags: `id name type_id creation_date modification_date status setter requestee`.split(' '),
  counts: `attachments cc comments keywords blocks depends_on regressed_by regressions
    duplicates`.split(/\s+/),
  comments:
    `id bug_id attachment_id count text raw_text creator author time creation_time is_private
    is_markdown tags`.split(/\s+/),
  history: ['when', 'who', 'changes'],
}

const TYPES = { text: 1, one: 2, many: 3, long: 4, when: 5, bug: 6, day: 9, number: 10 }

const all = await insertPerson({ roles: ['editbugs', 'insider', 'timetracking'] })
const place = await insertProduct({ assignee: all })
const bugId = await postBug(all, place, {
  alias: uniqueName('alias'),
  cc: [all.login],
  description: 'x',
})
const other = await postBug(all, place)
await updateBugRow(bugId, { qa_contact_id: all.id, deadline: '2024-02-29', dupe_of_id: other })
await put(all, `/rest/bug/${bugId}`, { priority: 'P1' })
const flag = uniqueName('flag')
await execute(
  sql`UPDATE components SET triage_owner_id = ${all.id} WHERE product_id = ${place.id}`,
  sql`INSERT INTO bug_tags VALUES (${all.id}, ${bugId}, 'mine', 'mine')`,
  sql`INSERT INTO flag_types (name, description, target) VALUES (${flag}, '', 'bug')`,
  sql`INSERT INTO flags (type_id, bug_id, status, setter_id, requestee_id, created_at, modified_at)
    SELECT id, ${bugId}, '?', ${all.id}, ${all.id}, 0, 0 FROM flag_types WHERE name = ${flag}`,
)
const made = await Promise.all(
  Object.values(TYPES).map((type) => insertCustomField(type, { values: ['Red', 'Blue'] })),
)
const custom = made.map(({ name }) => name)

/** What a selection answers of the bug, without custom fields that other tests have made. */
async function selected(query: string, who: Sender = all): Promise<Record<string, unknown>> {
  const { status, text, body } = await get(who, `/rest/bug/${bugId}?${query}`)
  expect(status, text).toBe(200)
  const entries = Object.entries(body.bugs[0]).filter(
    ([name]) => !name.startsWith('cf_') || custom.includes(name),
  )
  return Object.fromEntries(entries)
}

async function namesIn(query: string): Promise<string[]> {
  return Object.keys(await selected(query)).sort()
}

/** A field with its detail object, or the other way round. */
function family(name: string): string[] {
  const base = name.replace(/_detail$/, '')
  return [base, `${base}_detail`].filter((one) =>
    [...DEFAULT_FIELDS, ...EXTRA_FIELDS].includes(one),
  )
}

describe('a selection by shortcuts', () => {
  test.each<
    [string, (fields: { byDefault: string[]; extra: string[]; own: string[] }) => string[]]
  >([
    ['', ({ byDefault, own }) => [...byDefault, ...own]],
    ['include_fields=', ({ byDefault, own }) => [...byDefault, ...own]],
    ['include_fields=_default', ({ byDefault, own }) => [...byDefault, ...own]],
    ['include_fields=_extra', ({ extra }) => extra],
    ['include_fields=_custom', ({ own }) => own],
    ['include_fields=_all', ({ byDefault, extra, own }) => [...byDefault, ...extra, ...own]],
    [
      'include_fields=_default,_extra',
      ({ byDefault, extra, own }) => [...byDefault, ...extra, ...own],
    ],
    [
      'include_fields=_default&include_fields=tags',
      ({ byDefault, own }) => [...byDefault, ...own, 'tags'],
    ],
    ['include_fields=id,_extra', ({ extra }) => ['id', ...extra]],
    ['include_fields=_custom%20summary', ({ own }) => [...own, 'summary']],
    ['include_fields=_custom,_extra', ({ extra, own }) => [...extra, ...own]],
    ['exclude_fields=_custom', ({ byDefault }) => byDefault],
    ['exclude_fields=_extra', ({ byDefault, own }) => [...byDefault, ...own]],
    ['exclude_fields=_default', () => []],
    ['exclude_fields=_all', () => []],
    [
      'include_fields=_all&exclude_fields=_extra',
      ({ byDefault, extra, own }) => [...byDefault, ...extra, ...own],
    ],
    [
      'include_fields=_all&exclude_fields=_custom',
      ({ byDefault, extra, own }) => [...byDefault, ...extra, ...own],
    ],
    [
      'include_fields=_all&exclude_fields=_default',
      ({ byDefault, extra, own }) => [...byDefault, ...extra, ...own],
    ],
    ['include_fields=id,tags&exclude_fields=_all', () => ['id', 'tags']],
    ['include_fields=id&exclude_fields=_default', () => ['id']],
    ['include_fields=_custom&exclude_fields=_default', () => []],
    [
      'include_fields=_extra&exclude_fields=tags,history',
      ({ extra }) => extra.filter((name) => name !== 'tags' && name !== 'history'),
    ],
    ['include_fields=ID,Summary,no_such', () => []],
    ['include_fields=id,%2Bsummary', () => ['id', 'summary']],
    ['exclude_fields=no_such', ({ byDefault, own }) => [...byDefault, ...own]],
  ])('of %j answers just what it names', async (query, expected) => {
    expect(await namesIn(query)).toEqual(
      expected({ byDefault: DEFAULT_FIELDS, extra: EXTRA_FIELDS, own: custom }).toSorted(),
    )
  })
})

describe('a selection by name', () => {
  test.each([...DEFAULT_FIELDS, ...EXTRA_FIELDS])('takes %s in alone', async (name) => {
    expect(await namesIn(`include_fields=${name}`)).toEqual(family(name))
  })

  test.each([...DEFAULT_FIELDS, ...EXTRA_FIELDS])('takes %s out alone', async (name) => {
    const out = name.endsWith('_detail') ? [name] : family(name)

    expect(await namesIn(`include_fields=_all&exclude_fields=${name}`)).toEqual(
      [...DEFAULT_FIELDS, ...EXTRA_FIELDS, ...custom].filter((one) => !out.includes(one)).sort(),
    )
  })

  test.each(Object.keys(TYPES))(
    'takes a custom field in and out: the one called %s',
    async (word) => {
      const name = custom[Object.keys(TYPES).indexOf(word)] ?? ''
      const others = custom.filter((one) => one !== name)

      expect(await namesIn(`include_fields=${name}`)).toEqual([name])
      expect(await namesIn(`include_fields=_custom&exclude_fields=${name}`)).toEqual(others.sort())
    },
  )
})

describe('a selection by sub-field', () => {
  const cases = Object.entries(SUBFIELDS).flatMap(([parent, names]) =>
    names.map((name) => [parent, name] as const),
  )

  test.each(cases)('%s.%s takes it in or out alone', async (parent, name) => {
    const kept = await selected(`include_fields=${parent}.${name}`)
    const cut = await selected(`include_fields=${parent}&exclude_fields=${parent}.${name}`)
    const keysOf = (bug: Record<string, unknown>) => {
      const [value] = [bug[`${parent}_detail`] ?? bug[parent]].flat()
      return Object.keys(value as object)
    }

    expect(Object.keys(kept).sort()).toEqual(family(parent))
    expect(keysOf(kept)).toEqual([name])
    expect(keysOf(cut).sort()).toEqual((SUBFIELDS[parent] ?? []).filter((n) => n !== name).sort())
  })
})

describe('what the fields hold', () => {
  test('custom fields the wire form of their type, empty and filled', async () => {
    const place = await insertProduct()
    const id = await postBug(all, place)
    const ids = await execute(sql`SELECT id, name FROM fields WHERE is_custom = 1`)
    const fieldOf = (word: keyof typeof TYPES) => {
      const name = custom[Object.keys(TYPES).indexOf(word)] ?? ''
      return { name, id: Number(ids.find((row) => row.name === name)?.id) }
    }
    const words = Object.keys(TYPES) as (keyof typeof TYPES)[]
    const values = async () => {
      const query = words.map((word) => fieldOf(word).name).join(',')
      const { body } = await get(ANYONE, `/rest/bug?id=${id}&include_fields=${query}`)
      return Object.fromEntries(words.map((word) => [word, body.bugs[0][fieldOf(word).name]]))
    }
    const empty = { text: '', one: '---', many: [], long: '', when: null, bug: null, day: null }

    expect(await values()).toEqual({ ...empty, number: null })
    await setCustomValue(id, fieldOf('text'), { text: 'a line' })
    await setCustomValue(id, fieldOf('one'), { choice: 'Blue' })
    await setCustomValue(id, fieldOf('many'), { choice: 'Red' })
    await setCustomValue(id, fieldOf('many'), { choice: 'Blue' })
    await setCustomValue(id, fieldOf('long'), { text: 'two\nlines' })
    await setCustomValue(id, fieldOf('when'), { number: 1_700_000_000 })
    await setCustomValue(id, fieldOf('bug'), { number: bugId })
    await setCustomValue(id, fieldOf('day'), { text: '2024-02-29' })
    await setCustomValue(id, fieldOf('number'), { number: 0 })
    expect(await values()).toEqual({
      text: 'a line',
      one: 'Blue',
      many: ['Blue', 'Red'],
      long: 'two\nlines',
      when: '2023-11-14T22:13:20Z',
      bug: bugId,
      day: '2024-02-29T00:00:00Z',
      number: '0',
    })
  })

  test('nothing for anonymous callers that is not theirs', async () => {
    const names = Object.keys(await selected('include_fields=_all', ANYONE))
    const missing = ['estimated_time', 'remaining_time', 'actual_time', 'update_token']

    expect([...DEFAULT_FIELDS, ...EXTRA_FIELDS].filter((name) => !names.includes(name))).toEqual(
      missing,
    )
    expect(await selected('include_fields=tags', ANYONE)).toEqual({ tags: [] })
  })

  test('the same history as the history of the bug', async () => {
    const { body } = await get(all, `/rest/bug/${bugId}/history`)

    expect(await selected('include_fields=history')).toEqual({ history: body.bugs[0].history })
    expect(body.bugs[0].history).toHaveLength(1)
  })

  test('count only what the caller sees', async () => {
    const place = await insertProduct()
    const id = await postBug(all, place, { description: 'x' })
    const about = { id, summary: '', reporter: all, assignee: all }
    await insertAttachment(about, all, { summary: 'private', isPrivate: true })
    await insertAttachment(about, all, { summary: 'public' })
    await post(all, `/rest/bug/${id}/comment`, { comment: 'Psst.', is_private: true })
    const counted = async (who: Sender) =>
      (await get(who, `/rest/bug/${id}?include_fields=counts`)).body.bugs[0].counts
    const none = { cc: 0, keywords: 0, blocks: 0, depends_on: 0 }
    const more = { ...none, regressed_by: 0, regressions: 0, duplicates: 0 }

    expect(await counted(all)).toEqual({ attachments: 2, comments: 2, ...more })
    expect(await counted(ANYONE)).toEqual({ attachments: 1, comments: 1, ...more })
  })
})
