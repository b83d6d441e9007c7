import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { bugsById } from '../../../src/platform/access/bug-set.ts'
import { SYSTEM } from '../../../src/platform/access/caller.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { type FlagQuery, selectFlags } from '../../../src/tracker/flags/load.ts'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBugForFlags, insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { setFlags } from '../../support/builders/set-flags.ts'
import { execute } from '../../support/database/execute.ts'
import { onPrimary } from '../../support/database/statements.ts'

async function loadFlagsFor(question: FlagQuery) {
  const ctx = onPrimary()
  const known = await readBatch(ctx, selectFlags(question))
  return { known, trips: ctx.session.cost.trips, rows: ctx.session.cost.rowsRead }
}

const of = (...ids: number[]) => bugsById(SYSTEM, ids)

describe('reading for flags', () => {
  test('asks nothing when there is nothing to decide', async () => {
    expect((await loadFlagsFor({ inputs: [], bugs: of(1) })).trips).toBe(0)
  })

  test('finds the types of the product of a bug and of the one it moves to, and no others', async () => {
    const [one, there, elsewhere] = [
      await insertBugForFlags(),
      await insertProduct(),
      await insertProduct(),
    ]
    const [row] = await execute(sql`SELECT product_id FROM bugs WHERE id = ${one.id}`)
    const here = await insertFlagType({}, [{ productId: Number(row?.product_id) }])
    const next = await insertFlagType({}, [{ productId: there.id }])
    const other = await insertFlagType({}, [{ productId: elsewhere.id }])
    const excluded = await insertFlagType({}, [{ productId: there.id, isExclusion: true }])
    const inputs = [{ name: here.name, status: '?' }]
    const products = sql`SELECT ${there.id}`
    const { known } = await loadFlagsFor({ inputs, bugs: of(one.id), products, movesBugs: true })
    const ids = (known.flagTypes ?? []).map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([here.id, next.id]))
    expect(ids).not.toContain(other.id)
    expect(ids).not.toContain(excluded.id)
  })

  test('finds the types of flags that stand, wherever they apply', async () => {
    const type = await insertFlagType()
    const one = await insertBugForFlags()
    await setFlags(await insertPerson(), one.id, { inputs: [{ name: type.name, status: '+' }] })
    await execute(sql`DELETE FROM flag_type_scopes WHERE flag_type_id = ${type.id}`)
    const { known } = await loadFlagsFor({ inputs: [{ name: type.name }], bugs: of(one.id) })
    expect(known.flagTypes?.map(({ id }) => id)).toContain(type.id)
    expect(known.flags).toMatchObject([{ typeId: type.id, status: '+' }])
  })

  test('finds flags of bugs, of attachments that are named, and of all that move along', async () => {
    const who = await insertPerson()
    const [type, paper] = [await insertFlagType(), await insertFlagType({ target: 'attachment' })]
    const one = await insertBugForFlags()
    const ids = [
      await insertAttachment(one, who, { summary: 'a' }),
      await insertAttachment(one, who, { summary: 'b' }),
    ]
    await setFlags(who, one.id, { inputs: [{ name: type.name, status: '+' }] })
    for (const id of ids) {
      const inputs = [{ name: paper.name, status: '+' }]
      await setFlags(who, one.id, { inputs, attachment: { id, isPrivate: false } })
    }
    const inputs = [{ name: type.name }]
    const on = async (more: object) =>
      (await loadFlagsFor({ inputs, bugs: of(one.id), ...more })).known.flags?.map(
        (f) => f.attachmentId,
      )
    expect(await on({})).toEqual([null])
    expect(await on({ attachments: sql`SELECT ${ids[1]}` })).toEqual([null, ids[1]])
    expect(await on({ movesBugs: true })).toEqual([null, ...ids])
  })

  test('finds requestees with their groups, and the setters of flags that move', async () => {
    const [ann, setter] = [await insertPerson({ roles: ['insider'] }), await insertPerson()]
    const own = await insertGroup([ann])
    const type = await insertFlagType()
    const one = await insertBugForFlags({ cc: [ann, setter] })
    await setFlags(setter, one.id, { inputs: [{ name: type.name, status: '+' }] })
    const inputs = [{ name: type.name, requestee: ` ${ann.login.toUpperCase()}` }]
    const { known } = await loadFlagsFor({ inputs, bugs: of(one.id), movesBugs: true })
    const people = new Map(known.flagPeople?.map((row) => [row.id, row]))
    expect(people.get(ann.id)).toMatchObject({ isInsider: true, isDisabled: false })
    expect(JSON.parse(people.get(ann.id)?.groups ?? '')).toContain(own.id)
    expect(people.get(setter.id)).toMatchObject({ isInsider: false })
    expect(known.flagBugs?.map(({ cc }) => cc)).toEqual([`[${ann.id}]`])
  })

  test('costs nothing for the flags and types of others', async () => {
    const who = await insertPerson()
    const type = await insertFlagType()
    const [one, place] = [await insertBugForFlags(), await insertProduct()]
    const inputs = [{ name: type.name, status: '+', requestee: who.login }]
    const other = await insertBugForFlags()
    const more = async () => {
      await insertFlagType({ name: type.name }, [{ productId: place.id }])
      await setFlags(who, other.id, { inputs: [{ type_id: type.id, status: '+', new: true }] })
    }
    await more()
    const before = await loadFlagsFor({ inputs, bugs: of(one.id) })
    for (let made = 0; made < 20; made += 1) {
      await more()
    }
    expect((await loadFlagsFor({ inputs, bugs: of(one.id) })).rows).toBe(before.rows)
  })
})
