import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { bugsById } from '../../src/access/bug-set.ts'
import { WriteConflict } from '../../src/db/commit.ts'
import { readBatch } from '../../src/db/read-batch.ts'
import { openSession } from '../../src/db/session.ts'
import { type FlagQuery, selectFlags } from '../../src/flags/load.ts'
import { createFlagPlanner } from '../../src/flags/plan.ts'
import {
  flagStatements,
  listChangedAttachments,
  listChangedBugs,
  listNewRequestees,
} from '../../src/flags/write.ts'
import { noticeOf, recordNotice } from '../../src/notices/record-notice.ts'
import { get } from '../support/client.ts'
import { rowsOf } from '../support/filing.ts'
import {
  activityOf,
  actor,
  flagBug,
  flagsOf,
  flagType,
  flagWords,
  offerCommon,
  setFlags,
  type TestFlagType,
} from '../support/flags.ts'
import { attached, type TestBug, write } from '../support/happening.ts'
import { copies } from '../support/reading.ts'
import { interrupted } from '../support/sessions.ts'
import { onPrimary } from '../support/statements.ts'
import { group, NOW, person, product, type TestPerson, unique } from '../support/world.ts'

let ann: TestPerson
let bob: TestPerson
let review: TestFlagType
let paper: TestFlagType

beforeAll(async () => {
  ann = await person()
  bob = await person()
  review = await flagType()
  paper = await flagType({ target: 'attachment' })
})

const knownOf = (question: FlagQuery) => readBatch(onPrimary(), selectFlags(question))
const ask = (requestee?: string) => [{ name: review.name, status: '?', requestee }]
const set = (status: string) => [{ name: review.name, status }]

describe('the flags of a bug', () => {
  test('are made, changed and cleared, with history, activity and the moment of the bug', async () => {
    const { id } = await flagBug()
    const asking = await setFlags(ann, id, { inputs: ask(bob.login), now: NOW + 10 })
    expect(asking.told).toContainEqual({
      bug_id: id,
      field: 'flagtypes.name',
      removed: '',
      added: `${review.name}?(${bob.login})`,
    })
    const [flag] = await flagsOf(id)
    const times = { created_at: NOW + 10, modified_at: NOW + 10 }
    expect(flag).toMatchObject({ status: '?', setter_id: ann.id, requestee_id: bob.id, ...times })

    await setFlags(bob, id, { inputs: set('+'), now: NOW + 20 })
    expect(await flagsOf(id)).toEqual([
      { ...flag, status: '+', setter_id: bob.id, requestee_id: null, modified_at: NOW + 20 },
    ])
    await setFlags(ann, id, { inputs: set('X'), now: NOW + 30 })
    expect(await flagsOf(id)).toEqual([])

    const row = { flag_id: flag?.id, type_id: review.id, attachment_id: null }
    expect(await activityOf(id)).toEqual([
      { ...row, status: '?', setter_id: ann.id, requestee_id: bob.id, happened_at: NOW + 10 },
      { ...row, status: '+', setter_id: bob.id, requestee_id: null, happened_at: NOW + 20 },
      { ...row, status: 'X', setter_id: ann.id, requestee_id: null, happened_at: NOW + 30 },
    ])
    const told = (await rowsOf('history', id)).filter(({ field }) => field === 'flagtypes.name')
    expect(told).toMatchObject([
      { author_id: ann.id, changed_at: NOW + 10, added_fold: `${review.name}?(${bob.login})` },
      { author_id: bob.id, removed: `${review.name}?(${bob.login})`, added: `${review.name}+` },
      { author_id: ann.id, removed: `${review.name}+`, added: '' },
    ])
    expect(told.every(({ notice_id }) => notice_id !== null)).toBe(true)
  })

  test('are read with the bug', async () => {
    const { id } = await flagBug()
    await setFlags(ann, id, { inputs: ask(bob.login) })
    const { flags } = (await get({}, `/rest/bug/${id}`)).body.bugs[0]
    expect(flags).toMatchObject([
      {
        name: review.name,
        type_id: review.id,
        status: '?',
        setter: ann.login,
        requestee: bob.login,
      },
    ])
  })

  test('bring who is asked on the CC list, but the reporter', async () => {
    const one = await flagBug({ reporter: bob })
    await setFlags(ann, one.id, { inputs: ask(bob.login) })
    expect(await rowsOf('bug_cc', one.id)).toEqual([])
    const other = await flagBug()
    const { told } = await setFlags(ann, other.id, { inputs: ask(bob.login) })
    expect(await rowsOf('bug_cc', other.id)).toEqual([{ bug_id: other.id, user_id: bob.id }])
    expect(told).toContainEqual({ bug_id: other.id, field: 'cc', removed: '', added: bob.login })
  })

  test('of many bugs are set in one trip to read and one to write', async () => {
    const first = await flagBug()
    const ids = [first.id, ...(await copies(first.id, 499))]
    const session = openSession(env.DB, 'first-primary')
    await setFlags(ann, ids, {
      inputs: [...ask(bob.login), { name: review.name, status: '+', new: true }],
      session,
    })
    expect(session.cost.trips).toBe(2)
    const words = [`${review.name}?(${bob.id})`, `${review.name}+`]
    expect(await flagWords(first.id)).toEqual(words)
    expect(await flagWords(ids.at(-1) ?? 0)).toEqual(words)
    await setFlags(ann, ids, { inputs: [{ name: review.name, status: '-', new: true }], session })
    const last = await activityOf(ids.at(-1) ?? 0)
    expect(last.map(({ status }) => status)).toEqual(['?', '+', '-'])
  })

  test('that stay as they are write nothing', async () => {
    const { id } = await flagBug()
    await setFlags(ann, id, { inputs: set('+') })
    const { edits } = await setFlags(bob, id, { inputs: set('+') })
    expect(flagStatements(edits, { authorId: bob.id, noticeOf })).toEqual([])
    expect(listChangedBugs(edits)).toEqual([])
    expect(await activityOf(id)).toHaveLength(1)
  })

  test('are not asked of who may not see the bug, but of who sees it by a role', async () => {
    const secret = await group([ann])
    const { id } = await flagBug({ groups: [secret] })
    const asking = setFlags(ann, id, { inputs: ask(bob.login) })
    await expect(asking).rejects.toMatchObject({ code: 32000 })
    expect(await flagWords(id)).toEqual([])
    const onCc = await flagBug({ groups: [secret], cc: [bob] })
    await setFlags(ann, onCc.id, { inputs: ask(bob.login) })
    expect(await flagWords(onCc.id)).toEqual([`${review.name}?(${bob.id})`])
    const assigned = await flagBug({ groups: [secret] })
    await setFlags(ann, assigned.id, { inputs: ask(bob.login), over: { assignedToId: bob.id } })
    expect(await flagWords(assigned.id)).toEqual([`${review.name}?(${bob.id})`])
  })
})

describe('a new bug and a new attachment', () => {
  test('get flags in the commit that makes them', async () => {
    const old = await flagBug()
    const caller = await actor(ann)
    const recording = { authorId: ann.id, noticeOf }
    const inputs = [
      { name: review.name, status: '?' },
      { name: review.name, status: '+' },
    ]
    const seen = await knownOf({ inputs, bugs: bugsById(caller, [old.id]) })
    const place = createFlagPlanner(caller, seen).bug(old.id)
    if (place === undefined) {
      throw new Error('The bug was not read')
    }
    const products = sql`SELECT ${place.productId}`
    const known = await knownOf({ inputs, bugs: null, products })
    const decided = createFlagPlanner(caller, known).planBugFlags({ ...place, id: 'new' }, inputs)
    const columns = sql.raw(
      (
        await write(sql`SELECT group_concat(name) AS names FROM pragma_table_info('bugs')
        WHERE name NOT IN ('id', 'alias', 'alias_fold')`)
      )[0]?.names as string,
    )
    const created = sql`SELECT max(id) AS bug_id FROM bugs`
    await write(
      sql`INSERT INTO bugs (${columns}) SELECT ${columns} FROM bugs WHERE id = ${old.id}`,
      ...recordNotice(created, { kind: 'created', authorId: ann.id, at: NOW, isMinor: false }),
      ...flagStatements(decided, recording),
    )
    const [made] = await write(sql`SELECT max(id) AS id FROM bugs`)
    const id = Number(made?.id)
    expect(id).toBeGreaterThan(old.id)
    expect(await flagWords(id)).toEqual([`${review.name}?`, `${review.name}+`])
    expect((await activityOf(id)).map(({ status }) => status)).toEqual(['?', '+'])
    expect(await rowsOf('history', id)).toMatchObject([
      { field: 'flagtypes.name', added: `${review.name}?, ${review.name}+`, changed_at: NOW },
    ])
    expect(listChangedBugs(decided)).toEqual([])
    expect(listNewRequestees(decided)).toEqual([])
  })

  test('of several bugs get theirs each', async () => {
    const [one, two] = [await flagBug(), await flagBug()]
    const attachment = { id: 'new', isPrivate: false } as const
    const inputs = [{ name: paper.name, status: '?' }]
    await attached(one, ann, 'older', false)
    const ids = [await attached(one, ann, 'newest', false), await attached(two, ann, 'new', false)]
    await setFlags(ann, [one.id, two.id], { inputs, attachment })
    for (const [at, each] of [one, two].entries()) {
      expect(await flagsOf(each.id)).toMatchObject([{ attachment_id: ids[at], status: '?' }])
      expect(await activityOf(each.id)).toMatchObject([{ attachment_id: ids[at], status: '?' }])
      expect(await rowsOf('history', each.id)).toMatchObject([{ attachment_id: ids[at] }])
    }
  })
})

describe('the flags of an attachment', () => {
  test('are told under the attachment, not as a change of the bug', async () => {
    const one = await flagBug()
    const id = await attached(one, ann, 'paper', false)
    const inputs = [{ name: paper.name, status: '+' }]
    const { told, edits } = await setFlags(ann, one.id, {
      inputs,
      attachment: { id, isPrivate: false },
    })
    const row = { field: 'flagtypes.name', removed: '', added: `${paper.name}+` }
    expect(told).toEqual([{ attachment_id: id, ...row }])
    expect(listChangedAttachments(edits)).toEqual([id])
    expect(await rowsOf('history', one.id)).toMatchObject([{ attachment_id: id, ...row }])
  })

  test('lose their requests when it becomes obsolete', async () => {
    const one = await flagBug()
    const id = await attached(one, ann, 'paper', false)
    const attachment = { id, isPrivate: false }
    const inputs = ['?', '+'].map((status) => ({ name: paper.name, status, new: true }))
    await setFlags(ann, one.id, { inputs, attachment })
    await setFlags(ann, one.id, { attachment: { ...attachment, becomesObsolete: true } })
    expect(await flagWords(one.id)).toEqual([`${paper.name}+`])
  })
})

describe('a bug that moves', () => {
  async function world() {
    const [here, there] = [await flagBug(), await product()]
    await offerCommon(there.id)
    const [componentOf] = await write(sql`SELECT id FROM components WHERE product_id = ${there.id}`)
    const [row] = await write(sql`SELECT product_id FROM bugs WHERE id = ${here.id}`)
    const from = Number(row?.product_id)
    return { here, from, over: { productId: there.id, componentId: Number(componentOf?.id) } }
  }

  test('loses, keeps and hands over flags, those of attachments too', async () => {
    const { here, from, over } = await world()
    const only = [{ productId: from }]
    const far = await flagType({}, only)
    const name = unique('heir')
    const old = await flagType({ name }, only)
    const heir = await flagType({ name }, [{ productId: over.productId }])
    const page = await flagType({ target: 'attachment' }, only)
    const id = await attached(here, ann, 'paper', false)
    const entry = ({ name: called }: TestFlagType) => ({ name: called, status: '+' })
    await setFlags(ann, here.id, { inputs: [entry(far), entry(old), entry(review)], now: NOW })
    await setFlags(ann, here.id, { inputs: [entry(page)], attachment: { id, isPrivate: false } })
    const { told } = await setFlags(bob, here.id, { over, now: NOW + 9 })
    expect(await flagsOf(here.id)).toMatchObject([
      { type_id: heir.id, status: '+', setter_id: ann.id, modified_at: NOW },
      { type_id: review.id, status: '+' },
    ])
    const gone = { field: 'flagtypes.name', added: '' }
    expect(told).toEqual([
      { bug_id: here.id, removed: `${far.name}+`, ...gone },
      { attachment_id: id, removed: `${page.name}+`, ...gone },
    ])
    expect((await activityOf(here.id)).filter(({ status }) => status === 'X')).toMatchObject([
      { type_id: far.id, setter_id: bob.id },
      { type_id: page.id, setter_id: bob.id, attachment_id: id },
    ])
  })
})

describe('a commit is stale when meanwhile', () => {
  const racing = async (one: TestBug, happens: () => Promise<unknown>, over = {}) => {
    const attempt = setFlags(ann, one.id, {
      inputs: [{ name: review.name, status: '-', new: true }],
      session: interrupted(2, happens),
      ...over,
    })
    await expect(attempt).rejects.toBeInstanceOf(WriteConflict)
  }

  test('a flag has come, changed or gone', async () => {
    const one = await flagBug()
    await racing(one, () => setFlags(bob, one.id, { inputs: set('+') }))
    await racing(one, () => setFlags(bob, one.id, { inputs: set('-') }))
    await racing(one, () => setFlags(bob, one.id, { inputs: set('X') }))
    expect(await flagWords(one.id)).toEqual([])
    const written = (await rowsOf('history', one.id)).filter(
      ({ author_id }) => author_id === ann.id,
    )
    expect(written).toEqual([])
  })

  test('the type has changed', async () => {
    const one = await flagBug()
    await racing(one, () =>
      write(sql`UPDATE flag_types SET revision = revision + 1 WHERE id = ${review.id}`),
    )
  })

  test('the bug has moved', async () => {
    const [one, there] = [await flagBug(), await product()]
    await racing(one, () =>
      write(sql`UPDATE bugs SET product_id = ${there.id} WHERE id = ${one.id}`),
    )
  })

  test('but not when flags of other things have', async () => {
    const [one, two] = [await flagBug(), await flagBug()]
    const id = await attached(one, ann, 'paper', false)
    const happens = async () => {
      await setFlags(bob, two.id, { inputs: set('+') })
      await setFlags(bob, one.id, {
        inputs: [{ name: paper.name, status: '+' }],
        attachment: { id, isPrivate: false },
      })
    }
    await setFlags(ann, one.id, { inputs: set('-'), session: interrupted(2, happens) })
    expect(await flagWords(one.id)).toEqual([`${paper.name}+`, `${review.name}-`])
  })
})

test('flags are decided on for bugs that the caller sees alone', async () => {
  const { id } = await flagBug({ groups: [await group()] })
  const caller = await actor(ann)
  const known = await knownOf({ inputs: set('+'), bugs: bugsById(caller, [id]) })
  expect(known.flagBugs).toEqual([])
  expect(createFlagPlanner(caller, known).bug(id)).toBeUndefined()
})
