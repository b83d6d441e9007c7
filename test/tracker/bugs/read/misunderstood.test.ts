import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertHiddenProduct, insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, get, type Sender, send } from '../../../support/client.ts'
import { readTool } from '../../../support/clients/mcp.ts'
import { execute } from '../../../support/database/execute.ts'

const author = await insertPerson()
const place = await insertProduct()
const bug = await postBug(author, place, { summary: 'Scorzonera wilts' })

async function search(query: string, sender: Sender = ANYONE) {
  const { status, body, text, cost } = await get(sender, `/rest/bug?include_fields=id&${query}`)
  expect(status, text).toBe(200)
  const faults = body.faults.map(
    (one: { id: string; faultString: string; faultCode: number }) =>
      `${one.id} ${one.faultCode}: ${one.faultString}`,
  )
  return { ids: body.bugs.map(({ id }: { id: number }) => id), faults, cost }
}

describe('the faults of a search', () => {
  test.each([
    ['f1=short_desc&o1=regexp&v1=(', 'f1', "has '(', which is no regular expression that can be"],
    ['id=scorzonera', 'id', "has 'scorzonera', which is no number"],
    ['creation_time=soon', 'creation_time', "has 'soon', which is no date"],
    ['f1=bug_status&o1=changedafter&v1=soon', 'f1', "has 'soon', which is no date"],
    ['chfield=bug_status&chfieldfrom=soon', 'chfieldfrom', "has 'soon', which is no date"],
    ['chfield=bug_status&chfieldto=soon', 'chfieldto', "has 'soon', which is no date"],
    ['product=Scorzoneri', 'product', "names 'Scorzoneri', which does not exist"],
    ['status=FIXD', 'status', "names 'FIXD', which does not exist"],
    ['status=FIXED&status=NEVER', 'status', "names 'NEVER'"],
    ['component=nowhere', 'component', "names 'nowhere'"],
    ['version=99&f1=priority&o1=equals&v1=P99', 'f1', "names 'P99'"],
    ['target_milestone=never', 'target_milestone', "names 'never'"],
    ['f1=keywords&o1=equals&v1=unheard', 'f1', "names 'unheard'"],
    ['keywords=unheard', 'keywords', "names 'unheard'"],
    ['f1=keywords&o1=anywords&v1=unheard,of', 'f1', "names 'of'"],
    ['f1=bug_status&o1=allwords&v1=NEVER', 'f1', "names 'NEVER'"],
    ['quicksearch=product%3DScorzoneri', 'quicksearch', "names 'Scorzoneri'"],
    ['quicksearch=product:nowhere', 'quicksearch', "names 'nowhere', which stands in no name"],
    ['quicksearch=ALL status:NEVER scorzonera', 'quicksearch', "names 'NEVER'"],
    ['quicksearch=ALL component:nowhere,neither', 'quicksearch', "names 'neither'"],
    ['f1=product&o1=substring&v1=nowhere', 'f1', "names 'nowhere', which stands in no name"],
    ['component=nowhere&component_type=substring', 'component', "names 'nowhere'"],
    ['chfield=bug_status&chfieldvalue=NEVER', 'chfieldvalue', "names 'NEVER'"],
    ['f1=bug_status&o1=changedto&v1=NEVER', 'f1', "names 'NEVER', which does not exist any more"],
    ['f1=product&o1=changedfrom&v1=Scorzoneri', 'f1', "names 'Scorzoneri'"],
  ])('name what finds nothing in %j', async (query, source, said) => {
    const { ids, faults } = await search(query)
    expect(ids).toEqual([])
    expect(faults.join('\n')).toContain(`${source} 53: The parameter '${source}' ${said}`)
  })

  test.each(['priority sideways', 'bug_id DESC DESC', 'relevance down'])(
    'name the order %j, whose direction is none',
    async (order) => {
      const { ids, faults } = await search(`id=${bug}&order=${order},bug_id`)
      expect(ids).toEqual([bug])
      expect(faults).toEqual([expect.stringContaining(`names '${order}', which is no column`)])
    },
  )

  test.each([
    ['f1=priority&v1=P1', 'f1', 'o1'],
    ['f2=priority', 'f2', 'o2'],
    ['o1=equals&v1=P1', 'v1', 'f1'],
    ['field0-0-0=priority&value0-0-0=P1', 'field0-0-0', 'type0-0-0'],
    ['type-1-0-0=equals&value-1-0-0=P1', 'value-1-0-0', 'field-1-0-0'],
    ['email1=somebody&emailtype1=substring', 'email1', 'emailassigned_to1'],
    ['chfieldvalue=P1', 'chfieldvalue', 'chfield'],
    ['chfield=priority', 'chfield', 'chfieldfrom'],
  ])('name what is ignored in %j', async (query, source, missing) => {
    const { ids, faults } = await search(`id=${bug}&${query}`)
    expect(ids).toEqual([bug])
    expect(faults).toEqual([
      `${source} 53: The parameter '${source}' has no effect without '${missing}'.`,
    ])
  })

  test('name bounds of deadlines for who sees none, as they do deadlines', async () => {
    const query = `id=${bug}&deadlinefrom=2024-01-01`
    const said = "names 'deadlinefrom', which is no field to search by."
    expect(await search(query)).toMatchObject({
      ids: [bug],
      faults: [expect.stringContaining(said)],
    })
    const keeper = await insertPerson({ roles: ['timetracking'] })
    expect(await search(query, keeper)).toMatchObject({ ids: [], faults: [] })
  })

  test('are none of what the search screen sends for parts that are not filled in', async () => {
    const rows = 'f1=noop&o1=noop&v1=&f2=priority&o2=equals&v2=&f3=votes&v3=5&f4=OP&f5=CP'
    const others = 'email1=&emailtype1=substring&chfield=&chfieldfrom=&chfieldto=Now&chfieldvalue='
    const both = `${rows}&field0-0-0=noop&type0-0-0=noop&value0-0-0=&${others}`
    expect(await search(`id=${bug}&${both}`)).toMatchObject({ ids: [bug], faults: [] })
    const screen = `id=${bug}&chfield=priority&chfieldfrom=&chfieldto=Now`
    expect((await search(screen)).faults).toEqual([])
  })

  test('name columns that nothing is ordered by, and custom fields that do not exist', async () => {
    const { ids, faults } = await search(`id=${bug}&order=nonsense DESC,relevance,bug_id&cf_none=1`)
    expect(ids).toEqual([bug])
    expect(faults).toEqual([
      expect.stringContaining("names 'cf_none', which is no field"),
      "order 53: The parameter 'order' names 'nonsense DESC', which is no column to order by.",
    ])
  })

  test.each([
    ['product=%P&product=Scorzoneri', 'product', "names 'Scorzoneri', which does not exist"],
    ['product=%P&status=FIXD&status=UNCONFIRMED', 'status', "names 'FIXD'"],
    ['product=%P&component=%C&component=nowhere', 'component', "names 'nowhere'"],
    ['product=%P&version=unspecified&version=99', 'version', "names '99'"],
    ['product=%P&target_milestone=---&target_milestone=never', 'target_milestone', "'never'"],
    ['product=%P&priority=--&priority=P99', 'priority', "names 'P99'"],
    ['f1=product&o1=anyexact&v1=%P,Scorzoneri', 'f1', "names 'Scorzoneri'"],
    ['product=%P&f1=component&o1=notequals&v1=nowhere', 'f1', "names 'nowhere'"],
    [
      'f1=OP&j1=OR&f2=product&o2=equals&v2=%P&f3=product&o3=equals&v3=Scorzoneri',
      'f3',
      "'Scorzoneri'",
    ],
    ['product=%P&f1=keywords&o1=notequals&v1=unheard', 'f1', "names 'unheard'"],
  ])(
    'name in the same round trip what does not exist in %j, which finds bugs',
    async (query, source, said) => {
      const named = query.replaceAll('%P', place.name).replaceAll('%C', place.component)
      const { ids, faults, cost } = await search(named)
      expect({ ids, trips: cost.trips }).toEqual({ ids: [bug], trips: 1 })
      expect(faults).toEqual([expect.stringContaining(`${source} 53: The parameter '${source}'`)])
      expect(faults.join()).toContain(said)
      const elsewhere = await search(`${named}&limit=5&offset=7`)
      expect(elsewhere).toMatchObject({ ids: [], faults })
    },
  )

  test('are none, and cost nothing, where all names of a search exist', async () => {
    const single = `product=${place.name}&component=${place.component}&status=__open__`
    const alone = await search(`${single}&version=unspecified`)
    expect(alone).toMatchObject({ ids: [bug], faults: [], cost: { trips: 1 } })
    const listed = await search(`${single}&priority=P1&priority=--&resolution=---&resolution=FIXED`)
    expect(listed).toMatchObject({ ids: [bug], faults: [], cost: { trips: 1 } })
  })

  test('are none, and cost no round trip, where the search finds nothing and names nothing', async () => {
    const none = await search(`product=${place.name}&resolution=FIXED&order=`)
    expect(none).toMatchObject({ ids: [], faults: [], cost: { trips: 2 } })
    const plain = await search('id=987654321&summary=nonsense&short_desc=scorzonera')
    expect(plain).toMatchObject({ ids: [], faults: [], cost: { trips: 1 } })
    const quick = await search(`quicksearch=ALL nonsense :nowhere -product:nowhere`)
    expect(quick).toMatchObject({ ids: [], faults: [], cost: { trips: 1 } })
    const part = `f1=product&o1=substring&v1=${place.name.slice(1, -1)}&priority=P1`
    expect((await search(part)).faults).toEqual([])
    const change = 'f1=bug_status&o1=changedto&v1=VERIFIED&f2=resolution&o2=changedfrom&v2=---'
    expect((await search(`${change}&f3=keywords&o3=changedto&v3=one, two`)).faults).toEqual([])
    const words = 'status=__open__&resolution=---&component=Scorzoneri'
    expect((await search(`${words}&product=${place.name}`)).faults).toHaveLength(1)
  })

  test('are none where history has a name that does not exist any more', async () => {
    const old = uniqueName('Gone')
    const moved = await postBug(author, await insertProduct())
    await execute(sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, added, removed_fold, added_fold, notice_id)
      VALUES (${moved}, ${author.id}, 1, 'product', ${old}, ${place.name}, ${old.toLowerCase()}, ${place.name.toLowerCase()}, 0)`)
    const query = `f1=product&o1=changedfrom&v1=${old}`
    expect(await search(query)).toMatchObject({ ids: [moved], faults: [] })
    // of a search that finds nothing, nobody learns whether it is for the name
    expect((await search(`${query}&id=${bug}`)).faults).toEqual([
      expect.stringContaining(`names '${old}', which does not exist any more, if it ever did`),
    ])
  })

  test('tell strangers of names in hidden products as of names that do not exist', async () => {
    const hidden = await insertHiddenProduct()
    const member = await insertPerson({ groups: [hidden.group] })
    for (const query of [`product=${hidden.name}`, `component=${hidden.component}`]) {
      expect((await search(query, member)).faults).toEqual([])
      expect((await search(query)).faults).toEqual([
        expect.stringContaining(`names '${query.split('=')[1]}', which does not exist`),
      ])
    }
    const part = hidden.name.slice(1)
    const parts = `f1=product&o1=substring&v1=${part}`
    expect((await search(parts, member)).faults).toEqual([])
    expect((await search(parts)).faults).toEqual([
      expect.stringContaining(`names '${part}', which stands in no name`),
    ])
  })

  test('tell strangers of hidden names beside known ones, as of names that do not exist', async () => {
    const hidden = await insertHiddenProduct()
    const member = await insertPerson({ groups: [hidden.group] })
    const known = `product=${place.name}&component=${place.component}`
    for (const [field, name] of [
      ['product', hidden.name],
      ['component', hidden.component],
    ]) {
      for (const sender of [ANYONE, author]) {
        const [ofHidden, ofNone] = await Promise.all(
          [name, 'none'].map((other) => search(`${known}&${field}=${other}`, sender)),
        )
        expect(ofHidden).toMatchObject({ ids: [bug], cost: { trips: 1 } })
        const faults = ofNone?.faults.map((each: string) => each.replace("'none'", `'${name}'`))
        expect(ofHidden?.faults).toEqual(faults)
        expect(faults).toHaveLength(1)
      }
      expect((await search(`${known}&${field}=${name}`, member)).faults).toEqual([])
    }
  })

  test('call no product unknown whose bug the answer shows', async () => {
    const hidden = await insertHiddenProduct()
    const member = await insertPerson({ groups: [hidden.group] })
    const seen = await postBug(member, hidden, { cc: [author.login] })
    const both = `product=${place.name}&product=${hidden.name}&include_fields=product`
    const found = await search(both, author)
    expect(found).toMatchObject({ ids: [bug, seen], faults: [] })
    const page = await search(`${both}&limit=1`, author)
    expect(page).toMatchObject({ ids: [bug], faults: [expect.stringContaining(hidden.name)] })
  })

  test('name products of possible duplicates, and summaries without a word', async () => {
    const path = '/rest/bug/possible_duplicates?include_fields=id&summary='
    const { body } = await get(ANYONE, `${path}scorzonera&product=Scorzoneri&product=${place.name}`)
    expect(body.bugs).toEqual([{ id: bug }])
    expect(body.faults).toEqual([
      {
        id: 'product',
        faultCode: 53,
        faultString: "The parameter 'product' names 'Scorzoneri', which does not exist.",
      },
    ])
    const both = await get(ANYONE, `${path}scorzonera&product=${place.name}&products=Salsifi`)
    expect(both.body.faults).toMatchObject([
      { id: 'products', faultString: expect.stringContaining("'products' names 'Salsifi'") },
    ])
    expect((await get(ANYONE, `${path}scorzonera`)).body.faults).toEqual([])
    expect((await get(ANYONE, `${path}a+b`)).body).toMatchObject({
      bugs: [],
      faults: [{ id: 'summary' }],
    })
  })

  test('stand in a header beside a count, also by RPC', async () => {
    const count = async (query: string) => {
      const { body, headers } = await get(ANYONE, `/rest/bug?count_only=1&${query}`)
      return [body.bug_count, headers.get('x-tracker-warnings')]
    }
    const sentence = (value: string) =>
      `The parameter 'product' names '${value}', which does not exist.`
    expect(await count('product=Scorzoneri')).toEqual([0, `faults: ${sentence('Scorzoneri')}`])
    expect(await count('product=Schwarz%C2%A7%25')).toEqual([
      0,
      `faults: ${sentence('Schwarz%C2%A7%25')}`,
    ])
    expect(await count(`product=${place.name}&product=Scorzoneri`)).toEqual([
      1,
      `faults: ${sentence('Scorzoneri')}`,
    ])
    expect(await count(`product=${place.name}`)).toEqual([1, null])
    const params = [{ product: 'Scorzoneri', count_only: true }]
    const call = { method: 'Bug.search', params, id: 1 }
    const { headers } = await send(ANYONE, 'POST', '/jsonrpc.cgi', call)
    expect(headers.get('x-tracker-warnings')).toBe(`faults: ${sentence('Scorzoneri')}`)
  })

  test('stand in the note of a tool', async () => {
    const wrong = { product: ['Scorzoneri'], status: ['FIXD'] }
    const { bugs, note } = await readTool(author, 'search_bugs', wrong)
    expect(bugs).toEqual([])
    expect(note).toContain("names 'Scorzoneri', which does not exist. The parameter 'status' names")
    const ordered = { product: [place.name], order: 'nonsense' }
    const found = await readTool(author, 'search_bugs', ordered)
    expect(found).toMatchObject({ bugs: [{ id: bug }], note: expect.stringContaining('nonsense') })
    const beside = await readTool(author, 'search_bugs', { product: [place.name, 'Scorzoneri'] })
    expect(beside.bugs).toMatchObject([{ id: bug }])
    expect(beside.note).toContain("names 'Scorzoneri', which does not exist.")
    const twins = { summary: 'scorzonera', product: ['Scorzoneri'] }
    expect((await readTool(author, 'find_duplicates', twins)).note).toContain("names 'Scorzoneri'")
  })
})
