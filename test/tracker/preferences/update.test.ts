import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { copyBug, insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ignoreBug, watchPerson, watchPlaceOf } from '../../support/builders/watches.ts'
import { ANYONE, expectFault, get, put, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute, loadRow } from '../../support/database/execute.ts'

const pathOf = ({ id }: TestPerson) => `/rest/user/${id}/preferences`

const [ann, bob, cy] = [await insertPerson(), await insertPerson(), await insertPerson()]
const editor = await insertPerson({ roles: ['editusers'] })
const place = await insertProduct()
const about = await insertBug({ place })

/** The changes of the answer. */
async function update(owner: TestPerson, body: object, sender: Sender = owner) {
  const answer = await put(sender, pathOf(owner), body)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.users).toEqual([{ id: owner.id, changes: expect.any(Object) }])
  return answer.body.users[0].changes
}

const read = async (owner: TestPerson) => (await get(owner, pathOf(owner))).body

describe('PUT /user/{id_or_name}/preferences answers', () => {
  test('the cells and switches that changed, and leaves all others', async () => {
    const one = await insertPerson()
    const changes = await update(one, {
      email: { cc: { comment: false, keywords: true, by_me: 1 }, reporter: {} },
      html_mail: true,
      new_in_subject: true,
      asked_for_flag: 'off',
    })
    expect(changes).toEqual({
      'email.cc.comment': { removed: '1', added: '0' },
      'email.cc.by_me': { removed: '0', added: '1' },
      html_mail: { removed: '0', added: '1' },
      asked_for_flag: { removed: '1', added: '0' },
    })
    expect(await read(one)).toMatchObject({
      email: {
        cc: { comment: false, by_me: true, keywords: true },
        assignee: { comment: true, by_me: false },
      },
      asked_for_flag: false,
      flag_answered: true,
      html_mail: true,
    })
    expect(await update(one, { email: { cc: { comment: false } }, html_mail: true })).toEqual({})
  })

  test('a cell that is set back to its default, of which nothing is stored any more', async () => {
    const one = await insertPerson()
    await update(one, { email: { assignee: { cc: true } }, flag_answered: false })
    expect(await update(one, { email: { assignee: { cc: false } }, flag_answered: true })).toEqual({
      'email.assignee.cc': { removed: '1', added: '0' },
      flag_answered: { removed: '0', added: '1' },
    })
    expect(await loadRow('mail_preferences', sql`user_id = ${one.id}`)).toBeUndefined()
  })

  test('people watched and no longer watched, by login in any case', async () => {
    const one = await insertPerson()
    expect(await update(one, { watching: { add: [bob.login.toUpperCase()] } })).toEqual({
      watching: { removed: '', added: bob.login },
    })
    const edit = { add: [cy.login, bob.login], remove: [bob.login, 'nobody@example.test'] }
    expect(await update(one, { watching: edit })).toEqual({
      watching: { removed: bob.login, added: cy.login },
    })
    expect(await update(one, { watching: { set: bob.login, add: ['no-such'] } })).toEqual({
      watching: { removed: cy.login, added: bob.login },
    })
    expect(await update(one, { watching: { add: null, remove: null, set: null } })).toEqual({})
    expect((await read(one)).watching).toEqual([bob.login])
    expect(await update(one, { watching: { set: [] } })).toEqual({
      watching: { removed: bob.login, added: '' },
    })
  })

  test('components and whole products watched, each for itself', async () => {
    const one = await insertPerson()
    const whole = { product: place.name, component: null }
    const part = { product: place.name.toUpperCase(), component: ` ${place.component} ` }
    expect(await update(one, { watching_components: { add: [whole, part, part] } })).toEqual({
      watching_components: {
        removed: '',
        added: `${place.name}, ${place.name}: ${place.component}`,
      },
    })
    expect((await read(one)).watching_components).toEqual([
      whole,
      { product: place.name, component: place.component },
    ])
    expect(await update(one, { watching_components: { remove: { product: place.name } } })).toEqual(
      { watching_components: { removed: place.name, added: '' } },
    )
    expect(await update(one, { watching_components: { set: [whole] } })).toEqual({
      watching_components: { removed: `${place.name}: ${place.component}`, added: place.name },
    })
  })

  test('bugs ignored, by ID or alias, and no longer ignored', async () => {
    const one = await insertPerson()
    const [first, second] = [await insertBug(), await insertBug()]
    const alias = uniqueName('alias')
    await updateBugRow(second.id, { alias, alias_fold: alias })
    expect(await update(one, { ignored_bugs: { add: [first.id, alias] } })).toEqual({
      ignored_bugs: { removed: '', added: `${first.id}, ${second.id}` },
    })
    expect(await update(one, { ignored_bugs: { remove: [alias, '99999999', 'no-such'] } })).toEqual(
      { ignored_bugs: { removed: `${second.id}`, added: '' } },
    )
    expect((await read(one)).ignored_bugs).toEqual([first.id])
  })

  test('members of editusers for other accounts, and the audit log knows who did what', async () => {
    const one = await insertPerson()
    const changes = await update(one, { watching: { add: [bob.login] }, html_mail: true }, editor)
    const row = await loadRow('audit_log', sql`object_class = 'User' AND object_id = ${one.id}`)
    expect(row).toMatchObject({ user_id: editor.id, action: 'update' })
    expect(JSON.parse(String(row?.changes))).toEqual(changes)
    expect(await update(one, { watching: { add: [bob.login] }, html_mail: true })).toEqual({})
    const audited = await execute(sql`SELECT 1 FROM audit_log WHERE object_id = ${one.id}
      AND object_class = 'User'`)
    expect(audited).toHaveLength(1)
  })

  test('every one of several updates at the same time', async () => {
    const one = await insertPerson()
    const people = [bob, cy, editor]
    await Promise.all(people.map(({ login }) => update(one, { watching: { add: [login] } })))
    expect((await read(one)).watching.sort()).toEqual(people.map(({ login }) => login).sort())
  })
})

describe('PUT /user/{id_or_name}/preferences refuses', () => {
  test.each([
    [{ email: { boss: { comment: true } } }, 400, 53, 'email.boss'],
    [{ email: { cc: { rain: true } } }, 400, 53, 'email.cc.rain'],
    [{ email: { cc: { comment: {} } } }, 400, 53, 'email.cc.comment'],
    [{ email: [] }, 400, 53, 'email'],
    [{ html_mail: {} }, 400, 53, 'html_mail'],
    [{ watching: ['ann'] }, 400, 53, 'watching'],
    [{ watching: { add: ['nobody@example.test'] } }, 404, 51, 'nobody@example.test'],
    [{ watching_components: { add: ['x'] } }, 400, 53, 'watching_components'],
    [{ watching_components: { add: [{ component: 'x' }] } }, 400, 50, 'product'],
    [{ watching_components: { set: [{ product: 'No Such' }] } }, 401, 106, 'No Such'],
    [{ ignored_bugs: { add: [99_999_999] } }, 404, 101, '99999999'],
    [{ ignored_bugs: { set: ['no-such-alias'] } }, 400, 100, 'no-such-alias'],
  ])('%j, and writes nothing', async (body, status, code, naming) => {
    const one = await insertPerson()
    expectFault(
      await put(one, pathOf(one), { new_in_subject: false, ...body }),
      status,
      code,
      naming,
    )
    expect((await read(one)).new_in_subject).toBe(true)
  })

  test('an unknown component of a known product', async () => {
    const add = [{ product: place.name, component: 'No Such' }]
    expectFault(await put(ann, pathOf(ann), { watching_components: { add } }), 404, 51, 'No Such')
  })

  test('an account that watches itself', async () => {
    const watching = { add: [ann.login] }
    expectFault(await put(ann, pathOf(ann), { watching }), 400, 53, 'watching')
    expectFault(await put(editor, pathOf(ann), { watching }), 400, 53, 'watching')
  })

  test('callers without a login, and those who change others without the right to', async () => {
    expectFault(await put(ANYONE, pathOf(ann), { html_mail: true }), 401, 410)
    expectFault(await put(bob, pathOf(ann), { html_mail: true }), 401, 304)
    expectFault(await put(bob, pathOf(ann), { email: { boss: 1 } }), 401, 304)
    expectFault(await put(bob, '/rest/user/nobody@example.test/preferences', {}), 401, 304)
    expectFault(await put(editor, '/rest/user/nobody@example.test/preferences', {}), 404, 51)
  })

  test('more than 1,000 items of a list', async () => {
    const one = await insertPerson()
    const ids = await copyBug(about.id, 1000)
    expect(Object.keys(await update(one, { ignored_bugs: { add: ids } }))).toEqual(['ignored_bugs'])
    expectFault(
      await put(one, pathOf(one), { ignored_bugs: { add: [about.id] } }),
      400,
      53,
      'ignored_bugs',
    )
    const swap = { add: [about.id], remove: ids.slice(0, 1) }
    expect(await update(one, { ignored_bugs: swap })).toEqual({
      ignored_bugs: { removed: `${ids[0]}`, added: `${about.id}` },
    })
  })
})

describe('PUT /user/{id_or_name}/preferences hides', () => {
  test('products that the caller does not see like those that do not exist', async () => {
    const group = await insertGroup()
    const controls = [{ group, entry: true, memberControl: 3, otherControl: 3 }] as const
    const secret = await insertProduct({ controls: [...controls] })
    const answers = []
    for (const product of [secret.name, uniqueName('None')]) {
      for (const component of [secret.component, null]) {
        const add = [{ product, component }]
        const answer = await put(ann, pathOf(ann), { watching_components: { add } })
        answers.push(`${answer.status} ${answer.text.replaceAll(product, '…')}`)
      }
    }
    expect(new Set(answers).size).toBe(1)
  })

  test('people whom the caller does not see like those who do not exist', async () => {
    const answers = []
    for (const login of [bob.login, 'nobody@example.test']) {
      const response = await fetchWith({ USE_VISIBILITY_GROUPS: 'on' }, pathOf(ann), {
        method: 'PUT',
        headers: { 'X-Tracker-API-Key': ann.key },
        body: JSON.stringify({ watching: { add: [login] } }),
      })
      answers.push(`${response.status} ${(await response.text()).replaceAll(login, '…')}`)
    }
    expect(answers[0]).toContain('"code":51')
    expect(new Set(answers).size).toBe(1)
  })

  test('bugs that the caller does not see, by the number that they have everywhere', async () => {
    const hidden = await insertBug({ groups: [await insertGroup()] })
    const alias = uniqueName('alias')
    await updateBugRow(hidden.id, { alias, alias_fold: alias })
    for (const ref of [hidden.id, alias]) {
      expectFault(await put(ann, pathOf(ann), { ignored_bugs: { add: [ref] } }), 401, 102)
    }
  })

  test('what a list held that its owner does not see any more, also while it is removed', async () => {
    const one = await insertPerson()
    const group = await insertGroup()
    const hidden = await insertBug({ place: await insertProduct() })
    await ignoreBug(one, hidden)
    await watchPlaceOf(hidden, one, 'product')
    await restrictBug(hidden.id, group)
    await execute(sql`INSERT INTO group_controls (product_id, group_id, entry, membercontrol, othercontrol)
      SELECT product_id, ${group.id}, 1, 3, 3 FROM bugs WHERE id = ${hidden.id}`)
    expect(await read(one)).toMatchObject({ ignored_bugs: [], watching_components: [] })
    expect(await update(one, { ignored_bugs: { remove: [hidden.id] } })).toEqual({})
    expect(await update(one, { watching_components: { set: [] } })).toEqual({})
    expect(await loadRow('ignored_bugs', sql`user_id = ${one.id}`)).toBeUndefined()
    expect(await loadRow('component_watches', sql`watcher_id = ${one.id}`)).toBeUndefined()
  })

  test('the lists of one account from changes of another', async () => {
    const [one, two] = [await insertPerson(), await insertPerson()]
    await watchPerson(two, bob)
    await ignoreBug(two, about)
    await watchPlaceOf(about, two)
    const none = { set: [] }
    expect(
      await update(one, { watching: none, ignored_bugs: none, watching_components: none }),
    ).toEqual({})
    expect(await read(two)).toMatchObject({
      watching: [bob.login],
      ignored_bugs: [about.id],
      watching_components: [{ component: expect.any(String) }],
    })
  })
})
