import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Person } from '../../../../src/platform/access/caller.ts'
import { changeBugs } from '../../../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'
import { postBug, restrictBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'

describe('PUT /bug with groups', () => {
  let member: TestPerson
  let outsider: TestPerson
  let team: TestGroup
  let crew: TestGroup
  let place: TestProduct
  let bug: number

  beforeAll(async () => {
    member = await insertPerson()
    outsider = await insertPerson({ roles: ['editbugs'] })
    team = await insertGroup([member])
    crew = await insertGroup([member])
    place = await insertProduct({
      controls: [
        { group: team, memberControl: 1, otherControl: 0 },
        { group: crew, memberControl: 1, otherControl: 0 },
      ],
    })
  })

  beforeEach(async () => {
    bug = await postBug(outsider, place)
    await updateBugRow(bug, { changed_at: 1000 })
  })

  test('returns and records what was changed', async () => {
    const both = [team, crew].map(({ name }) => name)
    expect(await changeBug(member, bug, { groups: { add: both } })).toEqual({
      groups: { removed: '', added: both.sort().join(', ') },
    })
    expect(await readWholeBug(member, bug)).toMatchObject({ groups: both })
    expect(await loadBugRow(bug)).toMatchObject({ group_count: 2 })
    expect((await loadBugRow(bug)).changed_at).toBeGreaterThan(1000)
    const swap = { remove: [team.name.toUpperCase()], add: [crew.name] }
    expect(await changeBug(member, bug, { groups: swap })).toEqual({
      groups: { removed: team.name, added: '' },
    })
    const [notice] = (await loadRowsOfBug('notices', bug)).slice(-1)
    expect((await loadRowsOfBug('history', bug)).at(-1)).toMatchObject({
      field: 'groups',
      removed: team.name,
      added: '',
      notice_id: notice?.id,
    })
    expect(await changeBug(member, bug, { groups: { set: [crew.name] } })).toEqual({})
  })

  test('rejects unknown, foreign and absent groups with 120 and the same message', async () => {
    const foreign = await insertGroup([outsider])
    await restrictBug(bug, crew)
    const messages: string[] = []
    for (const edit of [
      { add: ['no-such-group'] },
      { add: [foreign.name] },
      { add: [team.name] },
      { remove: [team.name] },
      { remove: ['no-such-group'] },
      { set: ['no-such-group', crew.name] },
    ]) {
      const request = () => put(outsider, `/rest/bug/${bug}`, { groups: edit, comment: 'x' })
      await expectRefusal(request, 120)
      const { body } = await request()
      const [name] = [edit.add, edit.remove, edit.set].flatMap((names) => names?.[0] ?? [])
      messages.push(body.message.replace(name, '<group>'))
    }
    expect(new Set(messages).size).toBe(1)
  })

  test('commutes with edits of other people at the same time', async () => {
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      groups: { add: [team.name, crew.name] },
    })
    const session = openInterruptedSession(2, () =>
      changeBug(member, bug, { groups: { add: [team.name] } }),
    )
    const ctx = buildCtx(member, [], session)
    const groups = new Set([team.id, crew.id])
    const caller = { ...(ctx.caller as Person), groups }
    const { bugs } = await changeBugs.run({ ...ctx, caller }, input)
    expect(bugs[0]?.changes).toEqual({ groups: { removed: '', added: crew.name } })
    expect(session.cost.trips).toBe(2)
  })

  test('decides again when the bug has moved to another product meanwhile', async () => {
    const elsewhere = await insertProduct()
    const input = changeBugInput.parse({ id_or_alias: String(bug), groups: { add: [team.name] } })
    const move = { product: elsewhere.name, component: elsewhere.component }
    const session = openInterruptedSession(2, () => changeBug(outsider, bug, move))
    const ctx = buildCtx(member, [], session)
    const caller = { ...(ctx.caller as Person), groups: new Set([team.id]) }
    await expect(changeBugs.run({ ...ctx, caller }, input)).rejects.toMatchObject({ code: 120 })
    expect(await readWholeBug(outsider, bug)).toMatchObject({ groups: [], product: elsewhere.name })
  })

  test('hides the groups of a bug from a caller who no longer sees it', async () => {
    const secret = await insertGroup()
    const vault = await insertProduct({
      controls: [{ group: secret, memberControl: 3, otherControl: 3 }],
    })
    await updateBugRow(bug, { reporter_id: member.id, assigned_to_id: member.id })
    const body = { product: vault.name, component: vault.component }
    const changes = await changeBug(outsider, bug, body)
    expect(Object.keys(changes).sort()).toEqual(['component', 'product'])
    await expectRefusal(() => put(outsider, `/rest/bug/${bug}`, {}), 102)
    expect(await readWholeBug(member, bug)).toMatchObject({ groups: [secret.name] })
    const row = (await loadRowsOfBug('history', bug)).find(({ field }) => field === 'groups')
    expect(row).toMatchObject({ removed: '', added: secret.name })
  })
})
