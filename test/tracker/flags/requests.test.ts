import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { restrictBug } from '../../support/builders/bugs.ts'
import { insertBugForFlags, insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { setFlags } from '../../support/builders/set-flags.ts'
import type { TestFlagType, TestPerson } from '../../support/builders/types.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'

let ann: TestPerson
let bob: TestPerson
let insider: TestPerson
let member: TestPerson
let review: TestFlagType
let open: number
let hidden: number
let hushed: number

beforeAll(async () => {
  ann = await insertPerson({ realName: 'Ann' })
  bob = await insertPerson({ realName: 'Bob' })
  insider = await insertPerson({ roles: ['insider'] })
  const group = await insertGroup()
  member = await insertPerson({ groups: [group] })
  review = await insertFlagType({})
  const paper = await insertFlagType({ target: 'attachment' })
  const bugs = [await insertBugForFlags(), await insertBugForFlags()]
  open = bugs[0]?.id ?? 0
  hidden = bugs[1]?.id ?? 0
  const ask = { name: review.name, status: '?', requestee: bob.login }
  await setFlags(ann, open, { inputs: [ask] })
  await setFlags(bob, open, { inputs: [{ name: review.name, status: '+', new: true }] })
  await setFlags(ann, hidden, { inputs: [ask] })
  if (bugs[0] !== undefined) {
    hushed = await insertAttachment(bugs[0], ann, { summary: 'hushed', isPrivate: true })
  }
  await setFlags(ann, open, {
    inputs: [{ name: paper.name, status: '?' }],
    attachment: { id: hushed, isPrivate: false },
  })
  await restrictBug(hidden, group)
})

const requestsOf = async (who: Sender, query: string) =>
  (await get(who, `/rest/flag/requests?${query}`)).body.requests

describe('GET /flag/requests', () => {
  test('lists the flags that wait for somebody, with the bug that they are about', async () => {
    const requests = await requestsOf(ANYONE, `requestee=${bob.login}`)
    expect(requests).toMatchObject([
      {
        name: review.name,
        bug_id: open,
        attachment_id: null,
        is_open: true,
        setter: { id: ann.id, real_name: 'Ann' },
        requestee: { id: bob.id },
      },
    ])
  })

  test('leaves out what is about hidden bugs and private attachments', async () => {
    const bugsOf = async (who: Sender) =>
      (await requestsOf(who, `setter=${ann.login}`)).map((one: Record<string, unknown>) => [
        one.bug_id,
        one.attachment_id,
      ])
    expect(await bugsOf(ANYONE)).toEqual([[open, null]])
    expect(await bugsOf(member)).toEqual([
      [hidden, null],
      [open, null],
    ])
    expect(await bugsOf(insider)).toEqual([
      [open, hushed],
      [open, null],
    ])
    expect(await bugsOf(ann)).toHaveLength(2)
  })

  test('finds by the name of the flag, product and component, and pages', async () => {
    const { body } = await get(member, `/rest/bug/${open}?include_fields=product,component`)
    const [{ product, component }] = body.bugs
    const place = new URLSearchParams({ product: product.toUpperCase(), component })
    expect(await requestsOf(member, `${place}&type=${review.name}`)).toHaveLength(1)
    expect(await requestsOf(member, `${place}&type=other`)).toEqual([])
    expect(await requestsOf(member, 'product=no-such-product')).toEqual([])
    const [first, second] = await requestsOf(member, `setter=${ann.login}`)
    expect(await requestsOf(member, `setter=${ann.login}&limit=1`)).toEqual([first])
    expect(await requestsOf(member, `setter=${ann.login}&limit=1&offset=1`)).toEqual([second])
  })

  test('forgets a request that is answered', async () => {
    const carl = await insertPerson()
    const bug = await insertBugForFlags()
    const ask = { name: review.name, status: '?', requestee: carl.login }
    await setFlags(ann, bug.id, { inputs: [ask] })
    expect(await requestsOf(ANYONE, `requestee=${carl.login}`)).toHaveLength(1)
    await setFlags(carl, bug.id, { inputs: [{ ...ask, status: '+' }] })
    expect(await requestsOf(ANYONE, `requestee=${carl.login}`)).toEqual([])
  })

  test('reads rows of flags that wait, not of those that were answered', async () => {
    const carl = await insertPerson()
    const readFor = async () =>
      (await get(ANYONE, `/rest/flag/requests?requestee=${carl.login}`)).cost.read
    const before = await readFor()
    await execute(sql`INSERT INTO flags (type_id, bug_id, status, setter_id, requestee_id, created_at, modified_at)
      SELECT ${review.id}, ${open}, '+', ${ann.id}, ${carl.id}, 1, 1 FROM json_each(${JSON.stringify(Array(300).fill(1))})`)
    expect(await readFor()).toBe(before)
  })

  test('hides the domains of people from anonymous callers where a setting says so', async () => {
    const response = await fetchWith(
      { HIDE_EMAIL_DOMAINS: 'on' },
      `/rest/flag/requests?requestee=${bob.login}`,
    )
    expect(await response.text()).not.toContain('@example.test')
  })

  test('refuses people who do not exist', async () => {
    expectFault(await get(ANYONE, '/rest/flag/requests?requestee=nobody'), 401, 504, 'requestee')
  })
})
