import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../src/platform/access/membership.ts'
import { postAttachment, sendAttachment } from '../support/builders/attachments.ts'
import { postBug, restrictBug } from '../support/builders/bugs.ts'
import { insertFlagType } from '../support/builders/flags.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestFlagType, TestGroup, TestPerson } from '../support/builders/types.ts'
import { expectFault, get } from '../support/client.ts'
import { readAttachment, updateAttachment } from '../support/clients/attachments.ts'
import { readWholeBug } from '../support/clients/bugs.ts'
import { execute } from '../support/database/execute.ts'
import { loadFlagActivity, loadFlags } from '../support/database/flags.ts'

/** The rules about flags, as people meet them on attachments through the service. */

let bug: number
let id: number

const granter = await insertPerson({ roles: ['editbugs'] })
const requester = await insertPerson({ roles: ['editbugs'] })
const nobody = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['insider', 'editbugs'] })
const granters = await insertGroup([granter])
const requesters = await insertGroup([requester])
const place = await insertProduct()
const scope = [{ productId: place.id }]
const target = 'attachment'
const groups = { grantGroupId: granters.id, requestGroupId: requesters.id }
const guarded = await insertFlagType({ target, ...groups }, scope)
const review = await insertFlagType({ target }, scope)

beforeEach(async () => {
  bug = await postBug(nobody, place)
  id = await postAttachment(nobody, bug)
})

/** Sets the flag of a type and returns its new status; null when it is not set. */
async function becomes(
  who: TestPerson,
  { name }: TestFlagType,
  status: string,
  more: object = {},
): Promise<string | null> {
  const answer = await updateAttachment(who, id, { flags: [{ name, status, ...more }] })
  expect(answer.status, answer.text).toBe(200)
  const { flags } = await readAttachment(who, id)
  return flags.find((one: { name: string }) => one.name === name)?.status ?? null
}

async function leave(who: TestPerson, from: TestGroup): Promise<void> {
  await execute(
    sql`DELETE FROM group_members WHERE user_id = ${who.id} AND group_id = ${from.id}`,
    ...recomputeMembershipsStatements([who.id]),
  )
}

describe('every move of a flag is for', () => {
  const STATUSES = ['X', '?', '+', '-']

  test.each<[string, () => TestPerson, (from: string, to: string) => boolean]>([
    ['who may grant: all', () => granter, () => true],
    [
      'who may ask: requests, and their end',
      () => requester,
      (from, to) => from === to || (from === 'X' && to === '?') || (from === '?' && to === 'X'),
    ],
    ['anybody else: what changes nothing', () => nobody, (from, to) => from === to],
  ])('%s', async (_, who, may) => {
    for (const from of STATUSES) {
      for (const to of STATUSES) {
        await becomes(granter, guarded, 'X')
        await becomes(granter, guarded, from)
        const answer = await updateAttachment(who(), id, {
          flags: [{ name: guarded.name, status: to }],
        })
        if (may(from, to)) {
          expect(answer.status, `${from} to ${to}: ${answer.text}`).toBe(200)
        } else {
          expectFault(answer, 400, 130, guarded.name)
        }
        const status = may(from, to) ? to : from
        const current = (await readAttachment(granter, id)).flags.map(
          (one: { status: string }) => one.status,
        )
        expect(current, `${from} to ${to}`).toEqual(status === 'X' ? [] : [status])
      }
    }
  })

  test('setter and requestee may withdraw a request even without rights', async () => {
    const [setter, requestee] = [await insertPerson({ roles: ['editbugs'] }), await insertPerson()]
    const team = await insertGroup([setter, requestee])
    const groups = { grantGroupId: team.id, requestGroupId: team.id }
    const type = await insertFlagType({ target: 'attachment', ...groups }, [
      { productId: place.id },
    ])
    for (const who of [setter, requestee]) {
      await execute(
        sql`INSERT OR IGNORE INTO group_members (user_id, group_id, source)
          VALUES (${setter.id}, ${team.id}, 'direct'), (${requestee.id}, ${team.id}, 'direct')`,
        ...recomputeMembershipsStatements([setter.id, requestee.id]),
      )
      expect(await becomes(setter, type, '?', { requestee: requestee.login })).toBe('?')
      await leave(setter, team)
      await leave(requestee, team)
      const granting = await updateAttachment(who, id, {
        flags: [{ name: type.name, status: '+' }],
      })
      expectFault(granting, 400, 130)
      const stranger = await updateAttachment(nobody, id, {
        flags: [{ name: type.name, status: 'X' }],
      })
      expectFault(stranger, 400, 130)
      expect(await becomes(who, type, 'X')).toBeNull()
    }
  })
})

describe('the requestee', () => {
  const requestFor = (login: string, more: object = {}) => ({
    ...more,
    flags: [{ name: review.name, status: '?', requestee: login }],
  })

  test('joins the CC list, is removed when no requestee is named, and keeps the setter', async () => {
    const requestee = await insertPerson()
    expect(await becomes(granter, review, '?', { requestee: requestee.login })).toBe('?')
    expect((await readWholeBug(nobody, bug)).cc).toEqual([requestee.login])
    expect(await becomes(insider, review, '?')).toBe('?')
    const [flag] = (await readAttachment(nobody, id)).flags
    expect(flag).toMatchObject({ status: '?', setter: granter.login })
    expect(flag).not.toHaveProperty('requestee')
    const statuses = (await loadFlagActivity(bug)).map((row) => [row.status, row.requestee_id])
    expect(statuses).toEqual([
      ['?', requestee.id],
      ['?', null],
    ])
  })

  test('needs to see the bug', async () => {
    await restrictBug(bug, await insertGroup([granter]))
    const stranger = await insertPerson()
    const answer = await updateAttachment(granter, id, requestFor(stranger.login))
    expectFault(answer, 400, 32000, stranger.login)
    expect(await loadFlags(bug)).toEqual([])
    expect((await updateAttachment(granter, id, requestFor(nobody.login))).status).toBe(200)
  })

  test('needs to see a private attachment, also one that becomes private in the same request', async () => {
    const requestee = await insertPerson()
    expectFault(
      await sendAttachment(insider, bug, requestFor(requestee.login, { is_private: true })),
      400,
      32000,
    )
    expectFault(
      await updateAttachment(insider, id, requestFor(requestee.login, { is_private: true })),
      400,
      32000,
    )
    expect((await readAttachment(nobody, id)).is_private).toBe(false)
    const [other] = [await insertPerson({ roles: ['insider'] })]
    const answer = await updateAttachment(
      insider,
      id,
      requestFor(other.login, { is_private: true }),
    )
    expect(answer.status, answer.text).toBe(200)
  })

  test('may no longer answer once the attachment is private', async () => {
    const requestee = await insertPerson()
    await updateAttachment(insider, id, requestFor(requestee.login))
    await updateAttachment(insider, id, { is_private: true })
    const answer = await updateAttachment(requestee, id, {
      flags: [{ name: review.name, status: '+' }],
    })
    expectFault(answer, 401, 304)
    expect(await loadFlags(bug)).toMatchObject([{ status: '?', requestee_id: requestee.id }])
    const own = await get(requestee, `/rest/review/flag_activity/requestee/${requestee.login}`)
    expect(own.body).toEqual([])
  })

  test('needs to be able to grant', async () => {
    const requestee = await insertPerson()
    const flags = [{ name: guarded.name, status: '?', requestee: requestee.login }]
    expectFault(await updateAttachment(requester, id, { flags }), 400, 32000, requestee.login)
    const fine = [{ name: guarded.name, status: '?', requestee: granter.login }]
    expect((await updateAttachment(requester, id, { flags: fine })).status).toBe(200)
  })
})

describe('types', () => {
  test('apply where they are included and not excluded', async () => {
    const [row] = await execute(sql`SELECT id FROM components WHERE product_id = ${place.id}`)
    const scope = { productId: place.id, componentId: Number(row?.id) }
    const excluded = await insertFlagType({ target: 'attachment' }, [
      { productId: place.id },
      { ...scope, isExclusion: true },
    ])
    const elsewhere = await insertFlagType({ target: 'attachment' }, [
      { productId: (await insertProduct()).id },
    ])
    const ofBugs = await insertFlagType({ target: 'bug' }, [{ productId: place.id }])
    for (const { id: type_id, name } of [excluded, elsewhere, ofBugs]) {
      expectFault(
        await updateAttachment(nobody, id, { flags: [{ name, status: '?' }] }),
        404,
        51,
        name,
      )
      expectFault(
        await updateAttachment(nobody, id, { flags: [{ type_id, status: '?' }] }),
        404,
        51,
      )
    }
  })

  test('that are no longer active keep their flags, which may be changed and cleared', async () => {
    const type = await insertFlagType({ target: 'attachment' }, [{ productId: place.id }])
    await becomes(nobody, type, '?')
    await execute(
      sql`UPDATE flag_types SET is_active = 0, revision = revision + 1 WHERE id = ${type.id}`,
    )
    const more = { flags: [{ name: type.name, status: '?', new: true }] }
    expectFault(await updateAttachment(nobody, id, more), 400, 134, type.name)
    expect(await becomes(nobody, type, '+')).toBe('+')
    expect(await becomes(nobody, type, 'X')).toBeNull()
    const again = { flags: [{ name: type.name, status: '?' }] }
    expectFault(await updateAttachment(nobody, id, again), 400, 134, type.name)
  })

  test('flags of one attachment are not reached through another', async () => {
    await becomes(nobody, review, '+')
    const [flag] = await loadFlags(bug)
    const other = await postAttachment(nobody, bug)
    const body = { flags: [{ id: flag?.id, status: 'X' }] }
    expectFault(await updateAttachment(nobody, other, body), 404, 51, String(flag?.id))
    expectFault(await updateAttachment(nobody, id, { bug_flags: body.flags }), 404, 51)
    expect(await loadFlags(bug)).toHaveLength(1)
  })

  test('several flags of a type are shown apart by their IDs', async () => {
    const { name } = review
    await updateAttachment(nobody, id, { flags: [{ name, status: '?' }] })
    await updateAttachment(nobody, id, { flags: [{ name, status: '+', new: true }] })
    expectFault(
      await updateAttachment(nobody, id, { flags: [{ name, status: 'X' }] }),
      400,
      132,
      name,
    )
    const [first] = await loadFlags(bug)
    await updateAttachment(nobody, id, { flags: [{ id: first?.id, status: 'X' }] })
    expect((await loadFlags(bug)).map(({ status }) => status)).toEqual(['+'])
  })
})

test('an attachment that becomes obsolete loses its requests, and changes of those in the same request are ignored', async () => {
  await becomes(nobody, review, '?')
  await becomes(granter, guarded, '+')
  const body = { is_obsolete: true, flags: [{ name: review.name, status: '+' }] }
  const answer = await updateAttachment(nobody, id, body)
  expect(answer.status, answer.text).toBe(200)
  expect((await loadFlags(bug)).map(({ name, status }) => [name, status])).toEqual([
    [guarded.name, '+'],
  ])
  const cleared = (await loadFlagActivity(bug)).filter(({ status }) => status === 'X')
  expect(cleared).toMatchObject([{ type_id: review.id, setter_id: nobody.id }])
})
