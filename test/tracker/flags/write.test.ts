import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { bugsById } from '../../../src/platform/access/bug-set.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { openSession } from '../../../src/platform/db/session.ts'
import { type FlagQuery, selectFlags } from '../../../src/tracker/flags/load.ts'
import { createFlagPlanner } from '../../../src/tracker/flags/plan.ts'
import {
  flagStatements,
  listChangedBugs,
  listNewRequestees,
} from '../../../src/tracker/flags/write.ts'
import { noticeOf, recordNotice } from '../../../src/tracker/notices/record-notice.ts'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { copyBug } from '../../support/builders/bugs.ts'
import { loadCaller } from '../../support/builders/callers.ts'
import {
  insertBugForFlags,
  insertFlagType,
  offerCommonFlagTypes,
} from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { setFlags } from '../../support/builders/set-flags.ts'
import type { TestFlagType } from '../../support/builders/types.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { get } from '../../support/client.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { loadFlagActivity, loadFlags, summarizeFlags } from '../../support/database/flags.ts'
import { onPrimary } from '../../support/database/statements.ts'

const ann = await insertPerson()
const bob = await insertPerson()
const review = await insertFlagType()
const paper = await insertFlagType({ target: 'attachment' })

const knownOf = (question: FlagQuery) => readBatch(onPrimary(), selectFlags(question))
const ask = (requestee?: string) => [{ name: review.name, status: '?', requestee }]
const set = (status: string) => [{ name: review.name, status }]

describe('the flags of a bug', () => {
  test('are made, changed and cleared, with history, activity and the moment of the bug', async () => {
    const { id } = await insertBugForFlags()
    const asking = await setFlags(ann, id, { inputs: ask(bob.login), now: NOW + 10 })
    expect(asking.history).toContainEqual({
      bug_id: id,
      field: 'flagtypes.name',
      removed: '',
      added: `${review.name}?(${bob.login})`,
    })
    const [flag] = await loadFlags(id)
    const times = { created_at: NOW + 10, modified_at: NOW + 10 }
    expect(flag).toMatchObject({ status: '?', setter_id: ann.id, requestee_id: bob.id, ...times })

    await setFlags(bob, id, { inputs: set('+'), now: NOW + 20 })
    expect(await loadFlags(id)).toEqual([
      { ...flag, status: '+', setter_id: bob.id, requestee_id: null, modified_at: NOW + 20 },
    ])
    await setFlags(ann, id, { inputs: set('X'), now: NOW + 30 })
    expect(await loadFlags(id)).toEqual([])

    const row = { flag_id: flag?.id, type_id: review.id, attachment_id: null }
    expect(await loadFlagActivity(id)).toEqual([
      { ...row, status: '?', setter_id: ann.id, requestee_id: bob.id, happened_at: NOW + 10 },
      { ...row, status: '+', setter_id: bob.id, requestee_id: null, happened_at: NOW + 20 },
      { ...row, status: 'X', setter_id: ann.id, requestee_id: null, happened_at: NOW + 30 },
    ])
    const changes = (await loadRowsOfBug('history', id)).filter(
      ({ field }) => field === 'flagtypes.name',
    )
    expect(changes).toMatchObject([
      { author_id: ann.id, changed_at: NOW + 10, added_fold: `${review.name}?(${bob.login})` },
      { author_id: bob.id, removed: `${review.name}?(${bob.login})`, added: `${review.name}+` },
      { author_id: ann.id, removed: `${review.name}+`, added: '' },
    ])
    expect(changes.every(({ notice_id }) => notice_id !== null)).toBe(true)
  })

  test('are read with the bug', async () => {
    const { id } = await insertBugForFlags()
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

  test('add the requestee to the CC list, except the reporter', async () => {
    const one = await insertBugForFlags({ reporter: bob })
    await setFlags(ann, one.id, { inputs: ask(bob.login) })
    expect(await loadRowsOfBug('bug_cc', one.id)).toEqual([])
    const other = await insertBugForFlags()
    const { history } = await setFlags(ann, other.id, { inputs: ask(bob.login) })
    expect(await loadRowsOfBug('bug_cc', other.id)).toEqual([{ bug_id: other.id, user_id: bob.id }])
    expect(history).toContainEqual({ bug_id: other.id, field: 'cc', removed: '', added: bob.login })
  })

  test('of many bugs are set in one round trip to read and one to write', async () => {
    const first = await insertBugForFlags()
    const ids = [first.id, ...(await copyBug(first.id, 499))]
    const session = openSession(env.DB, 'first-primary')
    await setFlags(ann, ids, {
      inputs: [...ask(bob.login), { name: review.name, status: '+', new: true }],
      session,
    })
    expect(session.cost.trips).toBe(2)
    const words = [`${review.name}?(${bob.id})`, `${review.name}+`]
    expect(await summarizeFlags(first.id)).toEqual(words)
    expect(await summarizeFlags(ids.at(-1) ?? 0)).toEqual(words)
    await setFlags(ann, ids, { inputs: [{ name: review.name, status: '-', new: true }], session })
    const last = await loadFlagActivity(ids.at(-1) ?? 0)
    expect(last.map(({ status }) => status)).toEqual(['?', '+', '-'])
  })

  test('that stay as they are write nothing', async () => {
    const { id } = await insertBugForFlags()
    await setFlags(ann, id, { inputs: set('+') })
    const { edits } = await setFlags(bob, id, { inputs: set('+') })
    expect(flagStatements(edits, { authorId: bob.id, noticeOf })).toEqual([])
    expect(listChangedBugs(edits)).toEqual([])
    expect(await loadFlagActivity(id)).toHaveLength(1)
  })

  test('of which an import brought more than 500 are refused another one for two that go', async () => {
    const { id } = await insertBugForFlags()
    await execute(sql`INSERT INTO flags (type_id, bug_id, status, setter_id, created_at, modified_at)
      SELECT ${review.id}, ${id}, '+', ${ann.id}, 0, 0 FROM json_each(${JSON.stringify([...Array(600).keys()])})`)
    const gone = (await loadFlags(id))
      .slice(0, 2)
      .map((flag) => ({ id: Number(flag.id), status: 'X' }))
    const one = { name: review.name, status: '+', new: true }
    await expect(setFlags(ann, id, { inputs: [...gone, one] })).rejects.toMatchObject({ code: 53 })
  })

  test('reject requestees who may not see the bug, and accept those who see it by a role', async () => {
    const secret = await insertGroup([ann])
    const { id } = await insertBugForFlags({ groups: [secret] })
    const asking = setFlags(ann, id, { inputs: ask(bob.login) })
    await expect(asking).rejects.toMatchObject({ code: 32000 })
    expect(await summarizeFlags(id)).toEqual([])
    const onCc = await insertBugForFlags({ groups: [secret], cc: [bob] })
    await setFlags(ann, onCc.id, { inputs: ask(bob.login) })
    expect(await summarizeFlags(onCc.id)).toEqual([`${review.name}?(${bob.id})`])
    const assigned = await insertBugForFlags({ groups: [secret] })
    await setFlags(ann, assigned.id, { inputs: ask(bob.login), over: { assignedToId: bob.id } })
    expect(await summarizeFlags(assigned.id)).toEqual([`${review.name}?(${bob.id})`])
  })
})

describe('a new bug and a new attachment', () => {
  test('get flags in the commit that makes them', async () => {
    const old = await insertBugForFlags()
    const caller = await loadCaller(ann)
    const recording = { authorId: ann.id, noticeOf }
    const inputs = [
      { name: review.name, status: '?' },
      { name: review.name, status: '+' },
    ]
    const seen = await knownOf({ inputs, bugs: bugsById(caller, [old.id]) })
    const place = createFlagPlanner(caller, seen).findBug(old.id)
    if (place === undefined) {
      throw new Error('The bug was not read')
    }
    const products = sql`SELECT ${place.productId}`
    const known = await knownOf({ inputs, bugs: null, products })
    const decided = createFlagPlanner(caller, known).planBugFlags({ ...place, id: 'new' }, inputs)
    const columns = sql.raw(
      (
        await execute(sql`SELECT group_concat(name) AS names FROM pragma_table_info('bugs')
        WHERE name NOT IN ('id', 'alias', 'alias_fold')`)
      )[0]?.names as string,
    )
    const created = sql`SELECT max(id) AS bug_id FROM bugs`
    await execute(
      sql`INSERT INTO bugs (${columns}) SELECT ${columns} FROM bugs WHERE id = ${old.id}`,
      ...recordNotice(created, { kind: 'created', authorId: ann.id, at: NOW, isMinor: false }),
      ...flagStatements(decided, recording),
    )
    const [made] = await execute(sql`SELECT max(id) AS id FROM bugs`)
    const id = Number(made?.id)
    expect(id).toBeGreaterThan(old.id)
    expect(await summarizeFlags(id)).toEqual([`${review.name}?`, `${review.name}+`])
    expect((await loadFlagActivity(id)).map(({ status }) => status)).toEqual(['?', '+'])
    expect(await loadRowsOfBug('history', id)).toMatchObject([
      { field: 'flagtypes.name', added: `${review.name}?, ${review.name}+`, changed_at: NOW },
    ])
    expect(listChangedBugs(decided)).toEqual([])
    expect(listNewRequestees(decided)).toEqual([])
  })

  test('of several bugs get theirs each', async () => {
    const [one, two] = [await insertBugForFlags(), await insertBugForFlags()]
    const attachment = { id: 'new', isPrivate: false } as const
    const inputs = [{ name: paper.name, status: '?' }]
    await insertAttachment(one, ann, { summary: 'older' })
    const ids = [
      await insertAttachment(one, ann, { summary: 'newest' }),
      await insertAttachment(two, ann, { summary: 'new' }),
    ]
    await setFlags(ann, [one.id, two.id], { inputs, attachment })
    for (const [at, each] of [one, two].entries()) {
      expect(await loadFlags(each.id)).toMatchObject([{ attachment_id: ids[at], status: '?' }])
      expect(await loadFlagActivity(each.id)).toMatchObject([
        { attachment_id: ids[at], status: '?' },
      ])
      expect(await loadRowsOfBug('history', each.id)).toMatchObject([{ attachment_id: ids[at] }])
    }
  })
})

describe('the flags of an attachment', () => {
  test('are shown under the attachment, not as a change of the bug', async () => {
    const one = await insertBugForFlags()
    const id = await insertAttachment(one, ann, { summary: 'paper' })
    const inputs = [{ name: paper.name, status: '+' }]
    const { history } = await setFlags(ann, one.id, {
      inputs,
      attachment: { id, isPrivate: false },
    })
    const row = { field: 'flagtypes.name', removed: '', added: `${paper.name}+` }
    expect(history).toEqual([{ attachment_id: id, ...row }])
    expect(await loadRowsOfBug('history', one.id)).toMatchObject([{ attachment_id: id, ...row }])
  })

  test('lose their requests when it becomes obsolete', async () => {
    const one = await insertBugForFlags()
    const id = await insertAttachment(one, ann, { summary: 'paper' })
    const attachment = { id, isPrivate: false }
    const inputs = ['?', '+'].map((status) => ({ name: paper.name, status, new: true }))
    await setFlags(ann, one.id, { inputs, attachment })
    await setFlags(ann, one.id, { attachment: { ...attachment, becomesObsolete: true } })
    expect(await summarizeFlags(one.id)).toEqual([`${paper.name}+`])
  })
})

describe('a bug that moves', () => {
  async function world() {
    const [here, there] = [await insertBugForFlags(), await insertProduct()]
    await offerCommonFlagTypes(there.id)
    const [componentOf] = await execute(
      sql`SELECT id FROM components WHERE product_id = ${there.id}`,
    )
    const [row] = await execute(sql`SELECT product_id FROM bugs WHERE id = ${here.id}`)
    const from = Number(row?.product_id)
    return { here, from, over: { productId: there.id, componentId: Number(componentOf?.id) } }
  }

  test('loses, keeps and hands over flags, those of attachments too', async () => {
    const { here, from, over } = await world()
    const only = [{ productId: from }]
    const far = await insertFlagType({}, only)
    const name = uniqueName('heir')
    const old = await insertFlagType({ name }, only)
    const heir = await insertFlagType({ name }, [{ productId: over.productId }])
    const page = await insertFlagType({ target: 'attachment' }, only)
    const id = await insertAttachment(here, ann, { summary: 'paper' })
    const entry = ({ name: called }: TestFlagType) => ({ name: called, status: '+' })
    await setFlags(ann, here.id, { inputs: [entry(far), entry(old), entry(review)], now: NOW })
    await setFlags(ann, here.id, { inputs: [entry(page)], attachment: { id, isPrivate: false } })
    const { history } = await setFlags(bob, here.id, { over, now: NOW + 9 })
    expect(await loadFlags(here.id)).toMatchObject([
      { type_id: heir.id, status: '+', setter_id: ann.id, modified_at: NOW },
      { type_id: review.id, status: '+' },
    ])
    const gone = { field: 'flagtypes.name', added: '' }
    expect(history).toEqual([
      { bug_id: here.id, removed: `${far.name}+`, ...gone },
      { attachment_id: id, removed: `${page.name}+`, ...gone },
    ])
    expect((await loadFlagActivity(here.id)).filter(({ status }) => status === 'X')).toMatchObject([
      { type_id: far.id, setter_id: bob.id },
      { type_id: page.id, setter_id: bob.id, attachment_id: id },
    ])
  })
})

test('flags are decided on for bugs that the caller sees alone', async () => {
  const { id } = await insertBugForFlags({ groups: [await insertGroup()] })
  const caller = await loadCaller(ann)
  const known = await knownOf({ inputs: set('+'), bugs: bugsById(caller, [id]) })
  expect(known.flagBugs).toEqual([])
  expect(createFlagPlanner(caller, known).findBug(id)).toBeUndefined()
})
