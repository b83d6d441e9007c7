import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { bugsById } from '../../src/access/bug-set.ts'
import { SYSTEM } from '../../src/access/caller.ts'
import { readBatch } from '../../src/db/read-batch.ts'
import { type FlagQuery, selectFlags } from '../../src/flags/load.ts'
import { flagBug, flagType, setFlags } from '../support/flags.ts'
import { attached, write } from '../support/happening.ts'
import { onPrimary } from '../support/statements.ts'
import { group, person, product } from '../support/world.ts'

async function asked(question: FlagQuery) {
  const ctx = onPrimary()
  const known = await readBatch(ctx, selectFlags(question))
  return { known, trips: ctx.session.cost.trips, rows: ctx.session.cost.rowsRead }
}

const of = (...ids: number[]) => bugsById(SYSTEM, ids)

describe('reading for flags', () => {
  test('asks nothing when there is nothing to decide', async () => {
    expect((await asked({ inputs: [], bugs: of(1) })).trips).toBe(0)
  })

  test('finds the types of the product of a bug and of the one it moves to, and no others', async () => {
    const [one, there, elsewhere] = [await flagBug(), await product(), await product()]
    const [row] = await write(sql`SELECT product_id FROM bugs WHERE id = ${one.id}`)
    const here = await flagType({}, [{ productId: Number(row?.product_id) }])
    const next = await flagType({}, [{ productId: there.id }])
    const other = await flagType({}, [{ productId: elsewhere.id }])
    const excluded = await flagType({}, [{ productId: there.id, isExclusion: true }])
    const inputs = [{ name: here.name, status: '?' }]
    const products = sql`SELECT ${there.id}`
    const { known } = await asked({ inputs, bugs: of(one.id), products, movesBugs: true })
    const ids = (known.flagTypes ?? []).map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([here.id, next.id]))
    expect(ids).not.toContain(other.id)
    expect(ids).not.toContain(excluded.id)
  })

  test('finds the types of flags that stand, wherever they apply', async () => {
    const type = await flagType()
    const one = await flagBug()
    await setFlags(await person(), one.id, { inputs: [{ name: type.name, status: '+' }] })
    await write(sql`DELETE FROM flag_type_scopes WHERE flag_type_id = ${type.id}`)
    const { known } = await asked({ inputs: [{ name: type.name }], bugs: of(one.id) })
    expect(known.flagTypes?.map(({ id }) => id)).toContain(type.id)
    expect(known.flags).toMatchObject([{ typeId: type.id, status: '+' }])
  })

  test('finds flags of bugs, of attachments that are named, and of all that move along', async () => {
    const who = await person()
    const [type, paper] = [await flagType(), await flagType({ target: 'attachment' })]
    const one = await flagBug()
    const ids = [await attached(one, who, 'a', false), await attached(one, who, 'b', false)]
    await setFlags(who, one.id, { inputs: [{ name: type.name, status: '+' }] })
    for (const id of ids) {
      const inputs = [{ name: paper.name, status: '+' }]
      await setFlags(who, one.id, { inputs, attachment: { id, isPrivate: false } })
    }
    const inputs = [{ name: type.name }]
    const on = async (more: object) =>
      (await asked({ inputs, bugs: of(one.id), ...more })).known.flags?.map((f) => f.attachmentId)
    expect(await on({})).toEqual([null])
    expect(await on({ attachments: sql`SELECT ${ids[1]}` })).toEqual([null, ids[1]])
    expect(await on({ movesBugs: true })).toEqual([null, ...ids])
  })

  test('finds who is asked, with their groups, and who set what moves', async () => {
    const [ann, setter] = [await person({ roles: ['insider'] }), await person()]
    const own = await group([ann])
    const type = await flagType()
    const one = await flagBug({ cc: [ann, setter] })
    await setFlags(setter, one.id, { inputs: [{ name: type.name, status: '+' }] })
    const inputs = [{ name: type.name, requestee: ` ${ann.login.toUpperCase()}` }]
    const { known } = await asked({ inputs, bugs: of(one.id), movesBugs: true })
    const people = new Map(known.flagPeople?.map((row) => [row.id, row]))
    expect(people.get(ann.id)).toMatchObject({ isInsider: true, isDisabled: false })
    expect(JSON.parse(people.get(ann.id)?.groups ?? '')).toContain(own.id)
    expect(people.get(setter.id)).toMatchObject({ isInsider: false })
    expect(known.flagBugs?.map(({ cc }) => cc)).toEqual([`[${ann.id}]`])
  })

  test('costs nothing for the flags and types of others', async () => {
    const who = await person()
    const type = await flagType()
    const [one, place] = [await flagBug(), await product()]
    const inputs = [{ name: type.name, status: '+', requestee: who.login }]
    const other = await flagBug()
    const more = async () => {
      await flagType({ name: type.name }, [{ productId: place.id }])
      await setFlags(who, other.id, { inputs: [{ type_id: type.id, status: '+', new: true }] })
    }
    await more()
    const before = await asked({ inputs, bugs: of(one.id) })
    for (let made = 0; made < 20; made += 1) {
      await more()
    }
    expect((await asked({ inputs, bugs: of(one.id) })).rows).toBe(before.rows)
  })
})
