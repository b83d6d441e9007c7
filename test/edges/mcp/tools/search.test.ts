import { describe, expect, test } from 'vitest'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertFlagType } from '../../../support/builders/flags.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE } from '../../../support/client.ts'
import { readRefusal, readTool } from '../../../support/clients/mcp.ts'

type Found = { bugs: { id: number }[]; note?: string }

const author = await insertPerson()
const place = await insertProduct()
const ids: number[] = [
  await postBug(author, place, { summary: 'The lamp flickers' }),
  await postBug(author, place, { summary: 'The lamp is dark' }),
  await postBug(author, place, { summary: 'A chair creaks' }),
]

async function findIds(given: Record<string, unknown>): Promise<number[]> {
  const { bugs }: Found = await readTool(author, 'search_bugs', { product: [place.name], ...given })
  return bugs.map(({ id }) => id).sort((a, b) => a - b)
}

describe('search_bugs', () => {
  test.each([
    [{}, [0, 1, 2]],
    [{ summary: 'lamp' }, [0, 1]],
    [{ quicksearch: 'chair' }, [2]],
    [{ status: ['__closed__'] }, []],
    [{ status: '__open__', creator: '%user%' }, [0, 1, 2]],
    [{ query: 'f1=short_desc&o1=substring&v1=dark' }, [1]],
    [{ query: 'short_desc=lamp&short_desc_type=notsubstring&limit=1' }, [2]],
  ])('finds by %j the bugs %j', async (given, places) => {
    expect(await findIds(given)).toEqual(places.map((place) => ids[place]))
  })

  test('shows what a list needs of each bug', async () => {
    const { bugs } = await readTool(author, 'search_bugs', { query: `bug_id=${ids[0]}` })
    expect(bugs).toEqual([
      {
        ...{ id: ids[0], summary: 'The lamp flickers', status: 'UNCONFIRMED', type: 'defect' },
        ...{ product: place.name, component: place.component, priority: '--', severity: '--' },
        ...{ assigned_to: expect.any(String), last_change_time: expect.any(String) },
      },
    ])
  })

  test('says that there are more and how to get them, until the last page', async () => {
    const given = { product: [place.name], order: 'bug_id', limit: 2 }
    const first: Found = await readTool(author, 'search_bugs', { ...given, query: 'count_total=0' })
    expect(first.bugs.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const rest = 'bugs. For more, call again with offset 2.'
    expect(first.note).toBe(`1 to 2 of more than 2 ${rest}`)
    const counted = await readTool(author, 'search_bugs', { ...given, query: 'count_total=1' })
    expect(counted.note).toBe(`1 to 2 of 3 ${rest}`)
    const second: Found = await readTool(author, 'search_bugs', { ...given, offset: 2 })
    expect(second.bugs.map(({ id }) => id)).toEqual(ids.slice(2))
    expect(second.note).toBeUndefined()
  })

  test('counts', async () => {
    const given = { product: place.name, count_only: true }
    expect(await readTool(author, 'search_bugs', given)).toEqual({ bug_count: 3 })
  })

  test('names parameters of a query that do not exist, in a list and in a count', async () => {
    const query = `product=${place.name}&prodct=Nope&query_format=advanced&limt=1`
    const words = "The query has parameters that do not exist and have no effect: 'prodct', 'limt'."
    const { bugs, note }: Found = await readTool(author, 'search_bugs', { query })
    expect(bugs).toHaveLength(3)
    expect(note).toBe(words)
    const counted = await readTool(author, 'search_bugs', { query, count_only: true })
    expect(counted).toEqual({ bug_count: 3, note: words })
  })

  test('names parameters of a query that an argument, or the tool itself, sets', async () => {
    const query = `limit=1&include_fields=id&product=none&short_desc=lamp`
    const { bugs, note }: Found = await readTool(author, 'search_bugs', {
      product: [place.name],
      query,
    })
    expect(bugs).toHaveLength(2)
    expect(note).toBe(
      "These have no effect in the query, because the tool sets them: 'limit', 'include_fields', 'product'.",
    )
  })

  test('says of a count, as of a list, what means nothing', async () => {
    const unknown = "The parameter 'product' names 'Nope', which does not exist."
    const given = { product: ['Nope'], count_only: true }
    const counted = await readTool(author, 'search_bugs', given)
    expect(counted).toEqual({ bug_count: 0, note: unknown })
    const query = 'f1=short_desc&o1=regexp&v1=((&j_top=OR&f2=short_desc&o2=substring&v2=lamp'
    const partly = { product: [place.name], query, count_only: true }
    const { note } = await readTool(author, 'search_bugs', partly)
    expect(note).toContain('which is no regular expression that can be used')
  })

  test('refuses to find everything, and a number that is none', async () => {
    expect(await readRefusal(author, 'search_bugs')).toContain('(error 1000)')
    expect(await readRefusal(author, 'search_bugs', { summary: 'x', limit: 'x' })).toContain('52')
  })

  test('takes no credentials from the further parameters', async () => {
    const query = `api_key=${author.key}&reporter=%25user%25`
    const { bugs } = await readTool(ANYONE, 'search_bugs', { product: [place.name], query })
    expect(bugs).toEqual([])
  })
})

describe('find_duplicates', () => {
  test('finds bugs with similar summaries in a product', async () => {
    const given = { summary: 'My lamp flickers at night', product: [place.name] }
    const { bugs }: Found = await readTool(author, 'find_duplicates', given)
    expect(bugs.map(({ id }) => id)).toEqual([ids[0], ids[1]])
  })

  test('says when there are none', async () => {
    const { note } = await readTool(author, 'find_duplicates', { summary: uniqueName('zzz') })
    expect(note).toBe('No bug that the caller may see matches.')
  })
})

describe('my_requests', () => {
  test('lists the flags that ask the caller, of bugs and of attachments', async () => {
    const asked = await insertPerson()
    const scope = [{ productId: place.id }]
    const question = await insertFlagType({ target: 'bug' }, scope)
    const review = await insertFlagType({ target: 'attachment' }, scope)
    const flag = (name: string) => [{ name, status: '?', requestee: asked.login }]
    const onBug = await postBug(author, place, { flags: flag(question.name) })
    const onFile = await postBug(author, place)
    await postAttachment(author, onFile, { flags: flag(review.name) })
    await postAttachment(author, onFile, { summary: 'Not asked' })
    const { bugs } = await readTool(asked, 'my_requests')
    expect(bugs).toHaveLength(2)
    const byId = Object.fromEntries(bugs.map((bug: { id: number }) => [bug.id, bug]))
    expect(byId[onBug].flags).toMatchObject([{ name: question.name, requestee: asked.login }])
    expect(byId[onFile].attachments).toMatchObject([{ flags: [{ name: review.name }] }])
    expect(byId[onFile].flags).toBeUndefined()
    expect((await readTool(author, 'my_requests')).bugs).toEqual([])
  })
})
