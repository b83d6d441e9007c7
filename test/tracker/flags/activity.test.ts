import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBugForFlags, insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { setFlags } from '../../support/builders/set-flags.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'

const DAY = 86_400
/** The morning of the first of February 1990, before anything else; the flags below change day by day. */
const START = Date.UTC(1990, 1, 1, 9) / 1000

type Entry = { id: number; flag_id: number; bug_id: number; status: string; creation_time: string }

/** A flag is requested, granted, denied and cleared on a public bug, and requested once on others. */
const ann = await insertPerson({ realName: 'Ann [:annie]' })
const bob = await insertPerson({ realName: 'Bob' })
const insider = await insertPerson({ roles: ['insider'] })
const secret = await insertGroup()
const member = await insertPerson({ groups: [secret] })
const review = await insertFlagType({ name: `${uniqueName('re-view')}/2` })
const paper = await insertFlagType({ target: 'attachment' })
const [one, two] = [await insertBugForFlags(), await insertBugForFlags({ assignee: bob })]
const open = one.id
const hidden = two.id
const attachment = await insertAttachment(one, ann, { summary: 'paper' })
const hushed = await insertAttachment(one, ann, { summary: 'hushed', isPrivate: true })
const days = (number: number) => START + number * DAY
// bugs are older than what happens to them
await execute(sql`UPDATE bugs SET changed_at = 0 WHERE id IN (${open}, ${hidden})`)
const ask = { name: review.name, status: '?', requestee: bob.login }
await setFlags(ann, open, { inputs: [ask], now: days(0) })
await setFlags(bob, open, { inputs: [{ ...ask, status: '+' }], now: days(1) })
await setFlags(bob, open, { inputs: [{ ...ask, status: '-' }], now: days(2) })
await setFlags(ann, open, { inputs: [{ ...ask, status: 'X' }], now: days(3) })
await setFlags(ann, hidden, { inputs: [ask], now: days(4) })
await execute(sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${hidden}, ${secret.id})`)
for (const id of [attachment, hushed]) {
  const inputs = [{ name: paper.name, status: '?' }]
  await setFlags(ann, open, { inputs, attachment: { id, isPrivate: false }, now: days(5) })
}

async function readActivity(path: string, who: Sender = ANYONE): Promise<Entry[]> {
  const answer = await get(who, `/rest/review/flag_activity${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

const statuses = async (path: string, who?: Sender) =>
  (await readActivity(path, who)).map(({ status }) => status).join('')

const refused = (path: string, who: Sender = ANYONE) =>
  get(who, `/rest/review/flag_activity${path}`)

describe('GET /review/flag_activity', () => {
  test('answers entries of the contract', async () => {
    const [entry] = await readActivity(`/type_id/${review.id}?limit=1`)
    expect(entry).toEqual({
      id: expect.any(Number),
      flag_id: expect.any(Number),
      bug_id: open,
      attachment_id: null,
      creation_time: '1990-02-01T09:00:00Z',
      status: '?',
      requestee: {
        id: bob.id,
        name: bob.login,
        real_name: 'Bob',
        nick: bob.login.split('@')[0],
      },
      setter: { id: ann.id, name: ann.login, real_name: 'Ann [:annie]', nick: expect.any(String) },
      type: {
        description: expect.any(String),
        id: review.id,
        is_active: true,
        is_multiplicable: true,
        is_requesteeble: true,
        name: review.name,
        type: 'bug',
      },
    })
  })

  test('leaves out the requestee of a flag without one, and has the attachment of a flag on one', async () => {
    const [entry] = await readActivity(`/type_id/${paper.id}`)
    expect(entry).toMatchObject({ attachment_id: attachment, type: { type: 'attachment' } })
    expect(entry).not.toHaveProperty('requestee')
  })

  test('answers the activity of each selector, oldest first', async () => {
    const [entry] = await readActivity(`/type_id/${review.id}`)
    expect(await statuses(`/${entry?.flag_id}`)).toBe('?+-')
    expect(await statuses(`/type_id/${review.id}`)).toBe('?+-')
    expect(await statuses(`/type_name/${encodeURIComponent(review.name)}`)).toBe('?+-')
    expect(await statuses(`/setter/${bob.login.toUpperCase()}`)).toBe('+-')
    expect(await statuses(`/requestee/${bob.login}`)).toBe('?')
    expect(await statuses(`?bug_id=${open}`)).toBe('?+-?')
  })

  test('answers cleared flags on request', async () => {
    const path = `/type_id/${review.id}`
    expect(await statuses(`${path}?status=all`)).toBe('?+-X')
    expect(await statuses(`${path}?status=X`)).toBe('X')
    expect(await statuses(`${path}?status=%2B`)).toBe('+')
    expect(await statuses(`${path}?status=+`)).toBe('+')
    const [cleared] = await readActivity(`${path}?status=X`)
    expect(cleared).toMatchObject({ setter: { id: ann.id } })
  })

  test('merges all types of one name', async () => {
    const one = await insertBugForFlags()
    const name = uniqueName('twin')
    const scopes = [{ productId: one.productId }]
    const types = [await insertFlagType({ name }, scopes), await insertFlagType({ name }, scopes)]
    for (const [turn, status] of ['+', '-', '?', '+'].entries()) {
      const type_id = types[turn % 2]?.id
      await setFlags(ann, one.id, { inputs: [{ type_id, status, new: true }] })
    }
    expect(await statuses(`/type_name/${name}`)).toBe('+-?+')
    expect(await statuses(`/type_name/${name}?limit=2&offset=1`)).toBe('-?')
  })

  test.each([
    ['?limit=1', '?'],
    ['?limit=2&offset=1', '+-'],
    ['?limit=5&offset=5', ''],
    ['?limit=0', '?+-'],
    ['?limit=0&offset=2', '-'],
    ['?after=1990-02-02', '+-'],
    ['?after=1990-2-2', '+-'],
    ['?after=1990-02-02T09:00:00Z', '+-'],
    ['?after=1990-02-02T09:00:01Z', '-'],
    ['?before=1990-02-02', '?'],
    ['?before=1990-02-02T09:00:00Z', '?'],
    ['?after=1990-02-02&before=1990-02-03', '+'],
    ['?after=&before=', '?+-'],
  ])('answers a page by %s', async (query, page) => {
    expect(await statuses(`/type_id/${review.id}${query}`)).toBe(page)
  })

  test('lists all activity of a period', async () => {
    const dated = await readActivity('?after=1990-02-01&before=1990-02-07&status=all', member)
    const ours = dated.filter(({ bug_id }) => [open, hidden].includes(bug_id))
    expect(ours.map(({ status }) => status).join('')).toBe('?+-X??')
    const [second] = await readActivity('?after=1990-02-01&limit=1&offset=1')
    expect(second?.creation_time).toBe('1990-02-02T09:00:00Z')
  })

  test('is empty for what does not exist', async () => {
    for (const path of [
      '/999999999',
      `/${'9'.repeat(400)}`,
      '/type_id/999999999',
      '/type_name/no',
    ]) {
      expect(await readActivity(path)).toEqual([])
    }
  })

  test('shows the selected fields alone', async () => {
    const path = `/type_id/${review.id}?limit=1&include_fields=status,setter.name`
    expect(await readActivity(path)).toEqual([{ status: '?', setter: { name: ann.login } }])
  })

  test('cuts the list at the limit of the site', async () => {
    const path = `/rest/review/flag_activity/type_id/${review.id}`
    for (const query of ['', '?limit=0', '?limit=50']) {
      const answer = await fetchWith({ FLAG_ACTIVITY_MAX: '2' }, `${path}${query}`, {})
      expect(await answer.json()).toHaveLength(2)
    }
  })
})

describe('GET /review/flag_activity', () => {
  test('hides the activity of unseen bugs, before it cuts a page', async () => {
    const path = `/type_id/${review.id}`
    expect(await statuses(`${path}?after=1990-02-04`)).toBe('')
    expect(await statuses(`${path}?after=1990-02-04`, member)).toBe('?')
    expect(await statuses(`${path}?after=1990-02-04`, bob)).toBe('?')
    expect(await readActivity(`?bug_id=${hidden}`)).toEqual([])
    const one = await insertBugForFlags()
    await setFlags(ann, one.id, { inputs: [{ name: review.name, status: '+' }] })
    const first = await readActivity(`${path}?after=1990-02-05&limit=1`)
    expect(first.map(({ bug_id }) => bug_id)).toEqual([one.id])
  })

  test('hides the activity of private attachments from all but insiders and submitters', async () => {
    const ids = async (who: Sender) =>
      (await readActivity(`/type_id/${paper.id}`, who)).map((entry) => Object.values(entry)[3])
    expect(await ids(ANYONE)).toEqual([attachment])
    expect(await ids(bob)).toEqual([attachment])
    expect(await ids(ann)).toEqual([attachment, hushed])
    expect(await ids(insider)).toEqual([attachment, hushed])
  })

  test('hides addresses where the site does', async () => {
    const path = `/rest/review/flag_activity/type_id/${review.id}`
    const answer = await fetchWith({ HIDE_EMAIL_DOMAINS: 'on' }, path, {})
    expect(await answer.text()).not.toContain('@')
  })
})

describe('GET /review/flag_activity', () => {
  test.each([
    ['?offset=1', 400, 50, 'offset'],
    ['?offset=0', 400, 50, 'offset'],
    ['?limit=x', 400, 52, 'limit'],
    ['?limit=-1', 400, 52, 'limit'],
    ['?limit=1&offset=x', 400, 52, 'offset'],
    ['?bug_id=x', 400, 52, 'bug_id'],
    ['?after=yesterday', 400, 56, 'yesterday'],
    ['?before=1990-02-30', 400, 56, 'before'],
    ['?status=granted', 400, 53, 'status'],
    ['/x', 400, 32000, 'flag_id'],
    ['/-1', 400, 32000, 'flag_id'],
    ['/1.5', 400, 32000, 'flag_id'],
    ['/type_id/x', 400, 32000, 'type_id'],
    ['/setter/nobody@example.test', 401, 504, 'setter'],
    ['/requestee/nobody@example.test', 401, 504, 'requestee'],
  ])('rejects %s', async (path, status, code, naming) => {
    expectFault(await refused(path), status, code, naming)
  })

  test('rejects people who are hidden from the caller, like unknown ones', async () => {
    const path = `/rest/review/flag_activity/setter/${bob.login}`
    const headers = { 'x-tracker-api-key': member.key }
    const answer = await fetchWith({ USE_VISIBILITY_GROUPS: 'on' }, path, { headers })
    expect(await answer.json()).toMatchObject({ code: 504 })
  })
})

test('reading costs nothing for what is not on the page', async () => {
  const one = await insertBugForFlags()
  const type = await insertFlagType({}, [{ productId: one.productId }])
  const inputs = Array.from({ length: 50 }, () => ({ name: type.name, status: '+', new: true }))
  const who = await insertPerson()
  const soon = Date.UTC(2030, 0, 1) / 1000
  const paths = [
    '?after=2030-01-01&limit=5',
    `/type_id/${type.id}?limit=5`,
    `/type_name/${type.name}?limit=5`,
    `/setter/${who.login}?limit=5`,
    `?bug_id=${one.id}&limit=5`,
  ]
  const read = () =>
    Promise.all(
      paths.map(async (path) => {
        const { body, cost } = await get(ANYONE, `/rest/review/flag_activity${path}`)
        expect(body).toHaveLength(5)
        expect(cost.trips).toBe(1)
        return cost.read
      }),
    )
  await setFlags(who, one.id, { inputs, now: soon })
  const before = await read()
  for (let day = 1; day < 5; day += 1) {
    await setFlags(who, one.id, { inputs, now: soon + day * DAY })
  }
  expect(await read()).toEqual(before)
})
