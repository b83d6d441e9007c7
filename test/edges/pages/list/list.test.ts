import { describe, expect, test } from 'vitest'
import { Browser, type PageAnswer } from '../../../support/browser.ts'
import { insertBug, insertBugs, postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertHiddenProduct, insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { get, put } from '../../../support/client.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const HOSTILE = '=cmd|" /C calc"!A0 <script>alert(1)</script>, "quoted" & \'more\''
const anybody = new Browser()
const asMember = () => ({ 'x-tracker-api-key': member.key })

const group = await insertGroup()
const editor = await insertPerson({ roles: ['editbugs'], realName: 'Ada <b>Byron</b>' })
const member = await insertPerson({ groups: [group] })
const place = await insertProduct({ assignee: editor })
const hostile = await postBug(editor, place, { summary: HOSTILE })
const secret = uniqueName('secret')
const hidden = (await insertBug({ place, summary: secret })).id
await restrictBug(hidden, group)

const listOf = (more = '', path = '/bugs') =>
  `${path}?product=${encodeURIComponent(place.name)}${more}`
const tripsOf = ({ headers }: PageAnswer | { headers: Headers }) =>
  Number(/(\d+) trips/.exec(headers.get('server-timing') ?? '')?.[1])

describe('the list of bugs', () => {
  test('shows what a search finds, with every text escaped', async () => {
    const { status, html } = await anybody.open(listOf())
    expect(status).toBe(200)
    expect(html).toContain('<strong>1 bug</strong>')
    expect(html).toContain(`href="/bug/${hostile}"`)
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('<b>Byron')
  })

  test('shows hidden bugs to their members alone, and counts them for these alone', async () => {
    expect((await anybody.open(listOf())).html).not.toContain(`/bug/${hidden}"`)
    const { html } = await anybody.open(listOf(), asMember())
    expect(html).toContain(`/bug/${hidden}"`)
    expect(html).toContain('<strong>2 bugs</strong>')
  })

  test('has the columns that the address names, by old and new names, and heads that sort', async () => {
    const { html } = await anybody.open(listOf('&columnlist=priority,reporter&columnlist=cc_count'))
    const heads = [...html.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(
      ([, head]) => head,
    )
    expect(heads).toEqual(['ID', 'Priority', 'Reporter', 'CC'])
    expect(html).toContain('order=priority%2Cchangeddate+DESC')
    const sorted = await anybody.open(listOf('&columnlist=priority&order=priority'))
    expect(sorted.html).toContain('aria-sort="ascending"')
    expect(sorted.html).toContain('order=priority+DESC')
  })

  test('leads readers of feeds to its own', async () => {
    const { html } = await anybody.open(listOf())
    const [, feed = ''] =
      /<link rel="alternate" type="application\/atom\+xml" href="([^"]*)"/.exec(html) ?? []
    const { headers } = await anybody.open(feed.replaceAll('&amp;', '&'))
    expect(headers.get('content-type')).toContain('application/atom+xml')
  })

  test('lets its reader choose other columns, also those of custom fields', async () => {
    const { name } = await insertCustomField(1)
    const plain = await anybody.open(listOf('&columnlist=priority'))
    expect(plain.html).not.toContain('name="columnlist" value="alias"')
    const link = /href="([^"#]*)#columns"/.exec(plain.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { html } = await anybody.open(link)
    expect(html).toContain('name="columnlist" value="priority" checked')
    expect(html).toContain(`name="columnlist" value="${name}"`)
    const [form = ''] = /<form action="\/bugs" id="columns">.*?<\/form>/s.exec(html) ?? []
    expect(form).toContain('type="hidden" name="product"')
    expect(form).not.toContain('name="choose"')
    const chosen = await anybody.open(listOf(`&columnlist=${name}`))
    expect(chosen.html).toContain(`order=${name}`)
  })

  test('is cut into pages that lead to each other', async () => {
    const many = await insertBugs(editor, 5)
    const path = `/bugs?product=${encodeURIComponent(many.place.name)}&limit=2&order=bug_id&count_total=1`
    const first = await anybody.open(path)
    expect(first.html).toContain('<strong>5 bugs</strong>')
    const next = /rel="next" href="([^"]*)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await anybody.open(next)
    expect(second.html).toContain('3–4')
    expect(second.html).toContain('rel="prev"')
    const last = await anybody.open(`${path}&offset=4`)
    expect(last.html).not.toContain('rel="next"')
  })

  test('tells at least how many there are where counting is dear, and counts on request', async () => {
    const many = await insertBugs(editor, 4)
    const path = `/bugs?product=${encodeURIComponent(many.place.name)}&limit=2`
    const pageOf = async (query: string) =>
      (await fetchWith({ COUNT_TOTALS_UP_TO: '0' }, `${path}${query}`)).text()
    expect(await pageOf('')).toMatch(/<strong>3\+ bugs<.*count_total=1/s)
    expect(await pageOf('&count_total=1')).toContain('<strong>4 bugs<')
  })

  test('takes the round trips of its search and no more', async () => {
    await anybody.open(listOf('&limit=50'))
    const search = await get(editor, `/rest/bug?product=${encodeURIComponent(place.name)}&limit=50`)
    const page = await anybody.open(listOf('&limit=50'))
    expect(tripsOf(page)).toBeLessThanOrEqual(search.cost.trips + 1)
  })

  test('leads from a single number or alias to the bug', async () => {
    const alias = uniqueName('alias')
    await put(editor, `/rest/bug/${hostile}`, { alias })
    for (const [typed, target] of [
      ['12', 12],
      ['%2312', 12],
      [alias, hostile],
    ]) {
      const answer = await anybody.open(`/bugs?quicksearch=${typed}`)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/bug/${target}`])
    }
  })

  test('does not tell of the alias of a hidden bug', async () => {
    const alias = uniqueName('alias')
    const admin = await insertPerson({ roles: ['admin'] })
    await put(admin, `/rest/bug/${hidden}`, { alias })
    const answer = await anybody.open(`/bugs?quicksearch=${alias}`)
    expect(answer.status).toBe(200)
    expect(answer.html).toContain('No bugs')
  })

  test('answers the old address with the same parameters, and drops blank fields of its form', async () => {
    const old = await anybody.open(listOf('&f1=priority&o1=isnotempty', '/buglist.cgi'))
    expect(old.status).toBe(301)
    expect(old.headers.get('location')).toContain('/bugs?product=')
    expect(old.headers.get('location')).toContain('f1=priority')
    const form = await anybody.open(
      listOf(
        '&query_format=advanced&short_desc=&short_desc_type=substring&email1=&emailcc1=1&f1=&o1=equals&v1=x&resolution=',
      ),
    )
    expect(form.status).toBe(303)
    expect(form.headers.get('location')).toBe(
      `/bugs?product=${encodeURIComponent(place.name)}&resolution=`,
    )
  })

  test.each([
    ['f1=nope&o1=equals&v1=kept-text', 400, 'names &#39;nope&#39;', 'value="kept-text"'],
    ['prodcut=kept-text&limit=5', 400, 'at least one search term', 'value="kept-text"'],
    ['f1=OP&f2=CP&f3=CP&v3=kept-text', 400, 'CP', 'name="f3"'],
    ['quicksearch=nofield%3Dkept-text', 400, 'nofield', 'nofield=kept-text'],
  ])(
    'shows the refusal of %s above the form with what was typed',
    async (query, status, why, kept) => {
      const answer = await anybody.open(`/bugs?${query}`)
      expect(answer.status).toBe(status)
      expect(/role="alert">([^<]*)/.exec(answer.html)?.[1]).toContain(why)
      expect(answer.html).toContain(kept)
    },
  )

  test('says above the list what of its address means nothing', async () => {
    const noteOn = async (more: string) => {
      const { status, html } = await anybody.open(listOf(more))
      expect(status).toBe(200)
      return /<p class="notice" role="status">([^<]*)/.exec(html)?.[1]
    }
    expect(await noteOn('&prioritty=P1&limit=all&offset=-1&blank=')).toBe(
      'Not understood: &#39;prioritty&#39;, &#39;limit&#39;, &#39;offset&#39;.',
    )
    expect(await noteOn('&ctype=xml')).toBe('Not understood: &#39;ctype&#39;.')
    expect(await noteOn('&ctype=html')).toBeUndefined()
    expect(await noteOn('&columnlist=priority,prio')).toBe('Not understood: &#39;prio&#39;.')
    expect(await noteOn('&priority=P99&order=nothing')).toMatch(/&#39;nothing&#39;.*&#39;P99&#39;/s)
    const usual = '&query_format=specific&limit=5&offset=0&columnlist=priority&list_id=3&tweak='
    expect(await noteOn(usual)).toBeUndefined()
    expect(await noteOn('&priority=P1&short_desc_type=allwords&email1=&o1=equals')).toBeUndefined()
  })

  test.each(['constructor', '__proto__', 'toString'])(
    'takes the parameter %s for one that means nothing',
    async (name) => {
      expect((await anybody.open(listOf(`&${name}=x`))).status).toBe(200)
      expect((await anybody.open(`/bugs?${name}=x`)).status).toBe(400)
    },
  )

  test('asks those who run a saved search to sign in', async () => {
    const { status, headers } = await anybody.open('/bugs?savedsearch=mine')
    expect([status, headers.get('location')]).toEqual([
      303,
      '/login?return=%2Fbugs%3Fsavedsearch%3Dmine',
    ])
  })
})

describe('files of a list', () => {
  const file = (ctype: string, more = '', headers = {}) =>
    anybody.open(listOf(`&ctype=${ctype}${more}`, '/buglist.cgi'), headers)

  test('name parameters that mean nothing in a header', async () => {
    for (const ctype of ['csv', 'atom', 'json']) {
      const { headers } = await file(ctype, '&prioritty=P1&limit=all')
      expect(headers.get('x-tracker-warnings')).toBe('unused parameters: prioritty, limit')
      expect((await file(ctype)).headers.get('x-tracker-warnings')).toBeNull()
    }
  })

  test('name what has an effect on answers of a search alone', async () => {
    const { headers } = await file('csv', '&include_fields=id&count_only=1&after=3&exclude_fields=')
    expect(headers.get('x-tracker-warnings')).toBe(
      'unused parameters: include_fields, count_only, after',
    )
  })

  test('name columns that do not exist, and values of the search, in the same header', async () => {
    for (const ctype of ['csv', 'atom', 'ics', 'rdf']) {
      const wrong = await file(ctype, '&priority=P99%C3%BC&order=nothing&columnlist=prio,cf_none')
      const said = wrong.headers.get('x-tracker-warnings')
      expect(said).toContain('columnlist: prio, cf_none; faults: The parameter')
      expect(said).toContain("names 'nothing', which is no column to order by.")
      expect(said).toContain("names 'P99%C3%BC', which does not exist.")
    }
    const json = await file('json', '&priority=P99')
    expect(JSON.parse(json.html).faults).toHaveLength(1)
    expect(json.headers.get('x-tracker-warnings')).toBeNull()
  })

  test('are CSV with the names of old columns, where no cell is a formula', async () => {
    const { html, headers } = await file('csv')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, row, ...rest] = html.split('\r\n')
    expect(head).toBe(
      '"bug_id","product","component","assigned_to","bug_status","resolution","short_desc","changeddate"',
    )
    expect(row).toContain(`${hostile},"`)
    expect(row).toContain(`"'${HOSTILE.replaceAll('"', '""')}"`)
    expect(rest).toEqual([''])
    expect((await file('csv', '&human=1&columnlist=bug_severity')).html).toMatch(
      /^"ID","Severity"\r\n/,
    )
  })

  test('are JSON as the API answers it', async () => {
    const { html } = await file('json', '&columnlist=short_desc')
    expect(JSON.parse(html)).toEqual({
      faults: [],
      bugs: [expect.objectContaining({ id: hostile, summary: HOSTILE })],
    })
  })

  test.each(['atom', 'rss'])('are an Atom feed for ctype=%s', async (ctype) => {
    const { html, headers } = await file(ctype)
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    expect(html).toContain(`<id>https://tracker.test/bug/${hostile}</id>`)
    expect(html).toContain('&lt;script&gt;')
    expect(html.match(/<entry>/g)).toHaveLength(1)
  })

  test('are RDF with a resource for each bug', async () => {
    const { html, headers } = await file('rdf')
    expect(headers.get('content-type')).toBe('application/rdf+xml; charset=utf-8')
    expect(html).toContain(`<bz:id nc:parseType="Integer">${hostile}</bz:id>`)
    expect(html).toContain('<bz:bug_status>')
  })

  test('are a calendar with a day for each deadline', async () => {
    const keeper = await insertPerson({ roles: ['editbugs', 'timetracking'] })
    await put(keeper, `/rest/bug/${hostile}`, { deadline: '2031-02-03' })
    const calendar = await file('ics', '', { 'x-tracker-api-key': keeper.key })
    expect(calendar.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(calendar.html).toContain('DTSTART;VALUE=DATE:20310203\r\n')
    expect(
      calendar.html.split('\r\n').every((line) => new TextEncoder().encode(line).length <= 75),
    ).toBe(true)
  })

  test('hold as many bugs as a search of the API, each once', async () => {
    const { place, ids } = await insertBugs(editor, 1201)
    for (const [ctype, bug] of [
      ['csv', /^\d+(?=,)/gm],
      ['atom', /(?<=<id>[^<]*\/bug\/)\d+/g],
      ['rdf', /(?<=<bz:id nc:parseType="Integer">)\d+/g],
      ['json', /(?<=[[,]\{"id":)\d+/g],
    ] as const) {
      const { html } = await anybody.open(
        `/buglist.cgi?product=${place.name}&ctype=${ctype}&limit=0&order=bug_id`,
      )
      expect(html.match(bug)?.map(Number), ctype).toEqual(ids)
    }
  })

  test('end when their reader goes away', async () => {
    const { place } = await insertBugs(editor, 1201)
    const answer = await fetchWith({}, `/buglist.cgi?product=${place.name}&ctype=csv&limit=0`)
    const reader = answer.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    const rows = new TextDecoder().decode(value).split('\r\n').length

    expect(rows).toBeGreaterThan(100)
    expect(rows).toBeLessThan(1201)
    await reader?.cancel()
  })

  test('know a reader by a key in the address, and never repeat the key', async () => {
    const { html } = await anybody.open(listOf(`&ctype=atom&api_key=${member.key}`))
    expect(html).toContain(`/bug/${hidden}<`)
    expect(html).not.toContain(member.key)
    const page = await anybody.open(listOf(`&api_key=${member.key}`))
    expect(page.html).toContain(`/bug/${hidden}"`)
    expect(page.html).not.toContain(member.key)
  })

  test.each(['csv', 'atom', 'rdf', 'ics', 'json'])(
    'hold no hidden bug as %s, and are kept by no cache',
    async (ctype) => {
      const { html, headers } = await file(ctype)
      expect(html).not.toContain(secret)
      expect(headers.get('cache-control')).toBe('private, no-cache')
    },
  )

  test('say what is wrong in words, or as JSON', async () => {
    const text = await anybody.open('/buglist.cgi?ctype=csv&f1=nope&o1=equals&v1=x')
    expect([text.status, text.headers.get('content-type')]).toEqual([
      400,
      'text/plain;charset=UTF-8',
    ])
    const misunderstood = await anybody.open('/buglist.cgi?ctype=json&product=Nope')
    expect(JSON.parse(misunderstood.html)).toEqual({
      bugs: [],
      faults: [
        {
          id: 'product',
          faultCode: 53,
          faultString: "The parameter 'product' names 'Nope', which does not exist.",
        },
      ],
    })
    const json = await anybody.open('/buglist.cgi?ctype=json&f1=nope&o1=equals&v1=x')
    expect(JSON.parse(json.html)).toMatchObject({ error: true, code: 108 })
  })
})

describe('the form for a search', () => {
  test('has what the address says, and keeps what it has no field for', async () => {
    const { html } = await anybody.open(
      `/search?product=${encodeURIComponent(place.name)}&short_desc=crash&status=CONFIRMED&alias=kept&f1=cc&o1=isempty&rows=4`,
    )
    expect(html).toContain(`<option value="${place.name}" selected="">`)
    expect(html).toContain(`<option value="${place.component}">`)
    expect(html).toContain('name="short_desc" value="crash"')
    expect(html).toContain('<option value="CONFIRMED" selected="">')
    expect(html).toContain('name="alias" value="kept" checked=""')
    expect(html).toContain('name="f4"')
    expect(html).toContain('<option value="isempty" selected="">')
  })

  test('is at the old address too', async () => {
    const { status, headers } = await anybody.open('/query.cgi?product=x')
    expect([status, headers.get('location')]).toEqual([301, '/search?product=x'])
  })

  test('names no product that the reader may not search', async () => {
    const { name } = await insertHiddenProduct()
    const { html } = await anybody.open(`/search?product=${encodeURIComponent(place.name)}`)
    expect(html).not.toContain(name)
  })
})
