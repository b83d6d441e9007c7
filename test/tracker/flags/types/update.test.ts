import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../../support/builders/attachments.ts'
import { insertBugForFlags, insertFlagType } from '../../../support/builders/flags.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { setFlags } from '../../../support/builders/set-flags.ts'
import { NOW, uniqueName } from '../../../support/builders/unique.ts'
import { expectFault, put, type Sender } from '../../../support/client.ts'
import { loadRowsOfBug } from '../../../support/database/bugs.ts'
import { countRows, execute } from '../../../support/database/execute.ts'
import { loadFlagActivity, loadFlags, summarizeFlags } from '../../../support/database/flags.ts'
import { loadAuditEntries, loadRevision } from '../../../support/database/structure.ts'

const architect = await insertPerson({ roles: ['editcomponents'] })
const builders = await insertGroup()
const local = await insertPerson({ groups: [builders] })
const place = await insertProduct({ controls: [{ group: builders, editComponents: true }] })

const insertLocalType = (more: Parameters<typeof insertFlagType>[0] = {}) =>
  insertFlagType(more, [{ productId: place.id }])

const updateType = (who: Sender, idOrName: number | string, body: object) =>
  put(who, `/rest/flag_type/${encodeURIComponent(idOrName)}`, body)

describe('PUT /flag_type', () => {
  test('reports and records the change, and steps the revision', async () => {
    const { id, name } = await insertLocalType()
    const [granters, renamed] = [await insertGroup(), uniqueName('renamed')]
    const answer = await updateType(local, name, {
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
    expect(await loadRevision('flag_types', id)).toBe(1)
    expect(await loadAuditEntries('FlagType', id)).toEqual([
      { user_id: local.id, action: 'update', changes },
    ])
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const { id, name } = await insertLocalType()
    const body = { name, is_active: true, inclusions: [place.name], target_type: 'bug' }
    expect((await updateType(architect, id, body)).body).toEqual({
      flagtypes: [{ id, name, changes: {} }],
    })
    expect(await loadRevision('flag_types', id)).toBe(0)
  })

  test('changes every type of a name, and those of ids and names', async () => {
    const name = uniqueName('twin')
    const types = [
      await insertLocalType({ name }),
      await insertLocalType({ name }),
      await insertLocalType(),
      await insertLocalType(),
    ]
    const [, , third, fourth] = types
    const body = { ids: [third?.id], names: [fourth?.name], description: 'new' }
    const { flagtypes } = (await updateType(architect, name, body)).body
    expect(flagtypes.map(({ id }: { id: number }) => id)).toEqual(types.map(({ id }) => id))
  })

  test('changes nothing for a name that no type has', async () => {
    expect((await updateType(architect, 'no-such-type', {})).body).toEqual({ flagtypes: [] })
  })

  test('reads a number as an ID, or as a name when no ID fits', async () => {
    const name = String(900_000_000 + Math.floor(Math.random() * 9_999_999))
    const { id } = await insertLocalType({ name })
    expect((await updateType(architect, name, {})).body.flagtypes[0].id).toBe(id)
    expect((await updateType(architect, id, {})).body.flagtypes[0].name).toBe(name)
  })

  test('keeps every change of concurrent requests', async () => {
    const { id } = await insertLocalType()
    await Promise.all([
      updateType(architect, id, { description: 'new' }),
      updateType(architect, id, { is_active: false }),
    ])
    const [row] = await execute(sql`SELECT description, is_active FROM flag_types WHERE id = ${id}`)
    expect(row).toEqual({ description: 'new', is_active: 0 })
  })

  test('a group is taken away with an empty name', async () => {
    const { id } = await insertLocalType({ grantGroupId: (await insertGroup()).id })
    const { changes } = (await updateType(architect, id, { grant_group: '' })).body.flagtypes[0]
    expect(changes.grant_group.added).toBe('')
  })
})

describe('PUT /flag_type', () => {
  test('rejects an ID that no type has', async () => {
    expectFault(await updateType(architect, 999_999_999, {}), 404, 51, '999999999')
  })

  test('rejects callers who may not change the components in question', async () => {
    const { id } = await insertLocalType()
    expectFault(await updateType(await insertPerson(), id, { is_active: false }), 401, 304)
    const foreign = await insertFlagType({}, [{ productId: (await insertProduct()).id }])
    expectFault(await updateType(local, foreign.id, { is_active: false }), 400, 1105)
    expect(await loadRevision('flag_types', foreign.id)).toBe(0)
  })

  test('does not reveal products that are hidden from the caller', async () => {
    const control = { group: await insertGroup(), entry: true, memberControl: 3, otherControl: 3 }
    const hidden = await insertProduct({ controls: [control] })
    const { id } = await insertFlagType({}, [{ productId: hidden.id }])
    const answer = await updateType(architect, id, { inclusions: [place.name] })
    expect(answer.body.flagtypes[0].changes.inclusions.removed).toBe('another product')
    expect(answer.text).not.toContain(hidden.name)
  })
})

describe('flags that stand', () => {
  test('lose their requestees where that is switched off', async () => {
    const [who, one] = [await insertPerson(), await insertBugForFlags()]
    const { id, name } = await insertFlagType({}, [{ productId: one.productId }])
    await setFlags(who, one.id, { inputs: [{ name, status: '?', requestee: who.login }] })
    await updateType(architect, id, { is_requesteeble: false })
    expect(await summarizeFlags(one.id)).toEqual([`${name}?`])
  })

  test('are removed where their type no longer applies, and history and activity record it', async () => {
    const [who, one, kept] = [
      await insertPerson(),
      await insertBugForFlags(),
      await insertBugForFlags(),
    ]
    const scopes = [{ productId: one.productId }, { productId: kept.productId }]
    const { id, name } = await insertFlagType({}, scopes)
    const paper = await insertFlagType({ target: 'attachment' }, scopes)
    const attachmentId = await insertAttachment(one, who, { summary: 'paper' })
    const asking = { name, status: '?', requestee: who.login }
    await setFlags(who, [one.id, kept.id], { inputs: [asking, { name, status: '+', new: true }] })
    await setFlags(who, one.id, {
      inputs: [{ name: paper.name, status: '+' }],
      attachment: { id: attachmentId, isPrivate: false },
    })
    const [row] = await execute(sql`SELECT name FROM products WHERE id = ${kept.productId}`)
    const body = { names: [paper.name], inclusions: [String(row?.name)] }
    expect((await updateType(architect, id, body)).status).toBe(200)
    expect(await loadFlags(one.id)).toEqual([])
    expect(await summarizeFlags(kept.id)).toEqual([`${name}?(${who.id})`, `${name}+`])
    const changes = (await loadRowsOfBug('history', one.id)).slice(-2)
    expect(changes).toMatchObject([
      { removed: `${name}?(${who.login}), ${name}+`, added: '', attachment_id: null },
      { removed: `${paper.name}+`, added: '', attachment_id: attachmentId },
    ])
    expect(changes.every(({ changed_at }) => Number(changed_at) >= NOW)).toBe(true)
    const gone = (await loadFlagActivity(one.id)).slice(-3)
    expect(gone).toMatchObject([
      { status: 'X', setter_id: architect.id, requestee_id: who.id },
      { status: 'X', setter_id: architect.id },
      { status: 'X', setter_id: architect.id, attachment_id: attachmentId },
    ])
  })

  test('go to a type of the same name that has room for them', async () => {
    const [who, one] = [await insertPerson(), await insertBugForFlags()]
    const name = uniqueName('heir')
    const scope = [{ productId: one.productId }]
    const old = await insertFlagType({ name }, scope)
    const inputs = [
      { type_id: old.id, status: '+' },
      { type_id: old.id, status: '-', new: true },
    ]
    await setFlags(who, one.id, { inputs })
    const guarded = { name, sortKey: 0, grantGroupId: (await insertGroup()).id }
    await insertFlagType(guarded, scope)
    const heir = await insertFlagType({ name, isMultiplicable: false }, scope)
    await updateType(architect, old.id, { inclusions: [] })
    expect(await loadFlags(one.id)).toMatchObject([{ type_id: heir.id, status: '+' }])
    expect(await countRows('history', sql`bug_id = ${one.id} AND removed = ${`${name}-`}`)).toBe(1)
  })
})

test('a change that concerns too many flags is refused, and any other of the type is not', async () => {
  const { id } = await insertLocalType()
  const [about, elsewhere] = [await insertBugForFlags({ place }), await insertProduct()]
  await execute(sql`INSERT INTO flags (type_id, bug_id, status, setter_id, requestee_id, created_at, modified_at)
    WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 10001)
    SELECT ${id}, ${about.id}, '?', ${local.id}, ${local.id}, ${NOW}, ${NOW} FROM n`)

  const moved = await updateType(architect, id, { inclusions: [elsewhere.name] })
  expectFault(moved, 400, 32000)
  expectFault(await updateType(architect, id, { is_requesteeble: false }), 400, 32000)
  expect(await countRows('flags', sql`type_id = ${id} AND requestee_id IS NOT NULL`)).toBe(10_001)

  const wider = await updateType(architect, id, { inclusions: [place.name, elsewhere.name] })
  expect(wider.status, wider.text).toBe(200)
})

test('who may not change a type learns nothing of its flags, which are not counted for them', async () => {
  const foreign = await insertProduct()
  const { id } = await insertFlagType({}, [{ productId: foreign.id }])
  const about = await insertBugForFlags({ place: foreign })
  await execute(sql`INSERT INTO flags (type_id, bug_id, status, setter_id, created_at, modified_at)
    WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 10001)
    SELECT ${id}, ${about.id}, '?', ${local.id}, ${NOW}, ${NOW} FROM n`)
  const refused = await updateType(local, id, { inclusions: [place.name] })
  expectFault(refused, 400, 1105)
  expect(countRead(refused)).toBeLessThan(1000)
})

test('flags are compared with thousands of scopes at once', async () => {
  const { id } = await insertLocalType()
  const [about, elsewhere] = [await insertBugForFlags({ place }), await insertProduct()]
  await execute(
    sql`INSERT INTO flags (type_id, bug_id, status, setter_id, created_at, modified_at)
      WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 1000)
      SELECT ${id}, ${about.id}, '?', ${local.id}, ${NOW}, ${NOW} FROM n`,
    sql`INSERT INTO flag_type_scopes (flag_type_id, is_exclusion, product_id, component_id)
      WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 1000)
      SELECT ${id}, 1, ${elsewhere.id}, NULL FROM n`,
  )
  const kept = await updateType(architect, id, {
    inclusions: [place.name, (await insertProduct()).name],
  })
  expect(kept.status, kept.text).toBe(200)
  expect(await countRows('flags', sql`type_id = ${id}`)).toBe(1000)
  expect(countRead(kept)).toBeLessThan(100_000)
})

function countRead({ headers }: { headers: Headers }): number {
  return Number(/(\d+) read/.exec(headers.get('server-timing') ?? '')?.[1])
}
