import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { ANYONE, expectFault, put, type Sender } from '../support/client.ts'
import { rowsOf } from '../support/filing.ts'
import { activityOf, flagBug, flagsOf, flagType, flagWords, setFlags } from '../support/flags.ts'
import { attached, write } from '../support/happening.ts'
import { auditOf, countOf, revisionOf } from '../support/structure.ts'
import {
  group,
  NOW,
  person,
  product,
  type TestPerson,
  type TestProduct,
  unique,
} from '../support/world.ts'

let architect: TestPerson
let local: TestPerson
let place: TestProduct

beforeAll(async () => {
  architect = await person({ roles: ['editcomponents'] })
  const builders = await group()
  local = await person({ groups: [builders] })
  place = await product({ controls: [{ group: builders, editComponents: true }] })
})

const made = (more: Parameters<typeof flagType>[0] = {}) =>
  flagType(more, [{ productId: place.id }])

const change = (who: Sender, idOrName: number | string, body: object) =>
  put(who, `/rest/flag_type/${encodeURIComponent(idOrName)}`, body)

describe('an update of a flag type answers', () => {
  test('what changed, steps the revision and is recorded', async () => {
    const { id, name } = await made()
    const [granters, renamed] = [await group(), unique('renamed')]
    const answer = await change(local, name, {
      name: renamed,
      description: 'new',
      is_active: false,
      is_specifically_requestable: false,
      sortkey: 9,
      cc_list: 'a@b.test',
      grant_group: granters.name,
      inclusions: [{ [place.name]: place.component }],
    })
    const changes = {
      name: { removed: name, added: renamed },
      description: { removed: `What ${name} is for`, added: 'new' },
      cc_list: { removed: '', added: 'a@b.test' },
      sort_key: { removed: '1', added: '9' },
      is_active: { removed: '1', added: '0' },
      is_requesteeble: { removed: '1', added: '0' },
      grant_group: { removed: '', added: String(granters.id) },
      inclusions: { removed: place.name, added: `${place.name}:${place.component}` },
    }
    expect(answer.body, answer.text).toEqual({ flagtypes: [{ id, name: renamed, changes }] })
    expect(await revisionOf('flag_types', id)).toBe(1)
    expect(await auditOf('FlagType', id)).toEqual([
      { user_id: local.id, action: 'update', changes },
    ])
  })

  test('nothing when nothing changes, and writes nothing', async () => {
    const { id, name } = await made()
    const body = { name, is_active: true, inclusions: [place.name], target_type: 'bug' }
    expect((await change(architect, id, body)).body).toEqual({
      flagtypes: [{ id, name, changes: {} }],
    })
    expect(await revisionOf('flag_types', id)).toBe(0)
  })

  test('every type of a name, and those of ids and names', async () => {
    const name = unique('twin')
    const types = [await made({ name }), await made({ name }), await made(), await made()]
    const [, , third, fourth] = types
    const body = { ids: [third?.id], names: [fourth?.name], description: 'new' }
    const { flagtypes } = (await change(architect, name, body)).body
    expect(flagtypes.map(({ id }: { id: number }) => id)).toEqual(types.map(({ id }) => id))
  })

  test('nothing for a name that no type has', async () => {
    expect((await change(architect, 'no-such-type', {})).body).toEqual({ flagtypes: [] })
  })

  test('to a number as an ID, or as a name when no ID fits', async () => {
    const name = String(900_000_000 + Math.floor(Math.random() * 9_999_999))
    const { id } = await made({ name })
    expect((await change(architect, name, {})).body.flagtypes[0].id).toBe(id)
    expect((await change(architect, id, {})).body.flagtypes[0].name).toBe(name)
  })

  test('to many at once, each of their changes', async () => {
    const { id } = await made()
    await Promise.all([
      change(architect, id, { description: 'new' }),
      change(architect, id, { is_active: false }),
    ])
    const [row] = await write(sql`SELECT description, is_active FROM flag_types WHERE id = ${id}`)
    expect(row).toEqual({ description: 'new', is_active: 0 })
  })

  test('and a group is taken away with an empty name', async () => {
    const { id } = await made({ grantGroupId: (await group()).id })
    const { changes } = (await change(architect, id, { grant_group: '' })).body.flagtypes[0]
    expect(changes.grant_group.added).toBe('')
  })
})

describe('an update of a flag type refuses', () => {
  test.each<[number, number, string, () => Sender, object]>([
    [401, 410, 'log in', () => ANYONE, {}],
    [400, 1101, 'name', () => architect, { name: 'a b' }],
    [400, 1102, 'description', () => architect, { description: '' }],
    [400, 1104, 'sortkey', () => architect, { sort_key: 40_000 }],
    [400, 53, 'target_type', () => architect, { target_type: 'attachment' }],
    [404, 51, 'nobody-here', () => architect, { request_group: 'nobody-here' }],
    [401, 106, 'Nowhere', () => architect, { inclusions: ['Nowhere'] }],
    [404, 51, '999999999', () => architect, { ids: [999_999_999] }],
    [400, 1105, 'not yours', () => local, { inclusions: [] }],
  ])('with %i and %i naming %s', async (status, code, naming, who, body) => {
    const { id } = await made()
    expectFault(await change(who(), id, body), status, code, naming)
    expect(await revisionOf('flag_types', id)).toBe(0)
  })

  test('an ID that no type has', async () => {
    expectFault(await change(architect, 999_999_999, {}), 404, 51, '999999999')
  })

  test('who may change components nowhere, or elsewhere', async () => {
    const { id } = await made()
    expectFault(await change(await person(), id, { is_active: false }), 401, 304)
    const foreign = await flagType({}, [{ productId: (await product()).id }])
    expectFault(await change(local, foreign.id, { is_active: false }), 400, 1105)
    expect(await revisionOf('flag_types', foreign.id)).toBe(0)
  })

  test('to tell of products that are hidden from the caller', async () => {
    const control = { group: await group(), entry: true, memberControl: 3, otherControl: 3 }
    const hidden = await product({ controls: [control] })
    const { id } = await flagType({}, [{ productId: hidden.id }])
    const answer = await change(architect, id, { inclusions: [place.name] })
    expect(answer.body.flagtypes[0].changes.inclusions.removed).toBe('another product')
    expect(answer.text).not.toContain(hidden.name)
  })
})

describe('flags that stand', () => {
  test('ask nobody in particular any more where that is switched off', async () => {
    const [who, one] = [await person(), await flagBug()]
    const { id, name } = await flagType({}, [{ productId: one.productId }])
    await setFlags(who, one.id, { inputs: [{ name, status: '?', requestee: who.login }] })
    await change(architect, id, { is_requesteeble: false })
    expect(await flagWords(one.id)).toEqual([`${name}?`])
  })

  test('go where their type does not apply any more, and history and activity tell it', async () => {
    const [who, one, kept] = [await person(), await flagBug(), await flagBug()]
    const scopes = [{ productId: one.productId }, { productId: kept.productId }]
    const { id, name } = await flagType({}, scopes)
    const paper = await flagType({ target: 'attachment' }, scopes)
    const attachmentId = await attached(one, who, 'paper', false)
    const asking = { name, status: '?', requestee: who.login }
    await setFlags(who, [one.id, kept.id], { inputs: [asking, { name, status: '+', new: true }] })
    await setFlags(who, one.id, {
      inputs: [{ name: paper.name, status: '+' }],
      attachment: { id: attachmentId, isPrivate: false },
    })
    const [row] = await write(sql`SELECT name FROM products WHERE id = ${kept.productId}`)
    const body = { names: [paper.name], inclusions: [String(row?.name)] }
    expect((await change(architect, id, body)).status).toBe(200)
    expect(await flagsOf(one.id)).toEqual([])
    expect(await flagWords(kept.id)).toEqual([`${name}?(${who.id})`, `${name}+`])
    const told = (await rowsOf('history', one.id)).slice(-2)
    expect(told).toMatchObject([
      { removed: `${name}?(${who.login}), ${name}+`, added: '', attachment_id: null },
      { removed: `${paper.name}+`, added: '', attachment_id: attachmentId },
    ])
    expect(told.every(({ changed_at }) => Number(changed_at) >= NOW)).toBe(true)
    const gone = (await activityOf(one.id)).slice(-3)
    expect(gone).toMatchObject([
      { status: 'X', setter_id: architect.id, requestee_id: who.id },
      { status: 'X', setter_id: architect.id },
      { status: 'X', setter_id: architect.id, attachment_id: attachmentId },
    ])
  })

  test('go to a type of the same name that has room for them', async () => {
    const [who, one] = [await person(), await flagBug()]
    const name = unique('heir')
    const scope = [{ productId: one.productId }]
    const old = await flagType({ name }, scope)
    const inputs = [
      { type_id: old.id, status: '+' },
      { type_id: old.id, status: '-', new: true },
    ]
    await setFlags(who, one.id, { inputs })
    const guarded = { name, sortKey: 0, grantGroupId: (await group()).id }
    await flagType(guarded, scope)
    const heir = await flagType({ name, isMultiplicable: false }, scope)
    await change(architect, old.id, { inclusions: [] })
    expect(await flagsOf(one.id)).toMatchObject([{ type_id: heir.id, status: '+' }])
    expect(await countOf('history', sql`bug_id = ${one.id} AND removed = ${`${name}-`}`)).toBe(1)
  })
})
