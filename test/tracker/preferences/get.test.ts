import { describe, expect, test } from 'vitest'
import { MAIL_EVENTS, MAIL_ROLES } from '../../../src/tracker/notices/preferences.ts'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import {
  ignoreBug,
  setMailPreference,
  watchPerson,
  watchPlaceOf,
} from '../../support/builders/watches.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'

const pathOf = ({ id }: TestPerson) => `/rest/user/${id}/preferences`

async function preferencesOf(owner: TestPerson, sender: Sender = owner) {
  const answer = await get(sender, pathOf(owner))
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

describe('GET /user/{id_or_name}/preferences', () => {
  test('shows the defaults of an account that has changed nothing', async () => {
    const ann = await insertPerson()
    const body = await preferencesOf(ann)
    expect(Object.keys(body.email)).toEqual([...MAIL_ROLES])
    for (const role of MAIL_ROLES) {
      expect(Object.keys(body.email[role])).toEqual([...MAIL_EVENTS])
      const off = MAIL_EVENTS.filter((event) => !body.email[role][event])
      expect(off).toEqual(role === 'reporter' ? ['by_me'] : ['cc', 'by_me'])
    }
    const { email: _, ...others } = body
    expect(others).toEqual({
      asked_for_flag: true,
      flag_answered: true,
      html_mail: false,
      new_in_subject: true,
      watching: [],
      watching_components: [],
      ignored_bugs: [],
    })
  })

  test('shows what the account has changed, by its login as well', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const [one, two] = [await insertBug(), await insertBug()]
    await setMailPreference(ann, 'cc', 'comment', false)
    await setMailPreference(ann, 'format', 'html', true)
    await setMailPreference(ann, 'flags', 'asked', false)
    await watchPerson(ann, bob)
    await watchPlaceOf(one, ann)
    await watchPlaceOf(one, ann, 'product')
    await ignoreBug(ann, two)
    const { body } = await get(ann, `/rest/user/${ann.login.toUpperCase()}/preferences`)
    expect(body).toMatchObject({
      email: { cc: { comment: false, keywords: true }, assignee: { comment: true } },
      asked_for_flag: false,
      html_mail: true,
      watching: [bob.login],
      watching_components: [
        { product: expect.any(String), component: null },
        { product: expect.any(String), component: expect.any(String) },
      ],
      ignored_bugs: [two.id],
    })
  })

  test('shows the selected fields alone', async () => {
    const ann = await insertPerson()
    const { body } = await get(ann, `${pathOf(ann)}?include_fields=html_mail,watching`)
    expect(body).toEqual({ html_mail: false, watching: [] })
  })

  test('shows those of others to members of editusers', async () => {
    const [ann, editor] = [await insertPerson(), await insertPerson({ roles: ['editusers'] })]
    await setMailPreference(ann, 'format', 'new_in_subject', false)
    expect((await preferencesOf(ann, editor)).new_in_subject).toBe(false)
  })
})

describe('GET /user/{id_or_name}/preferences refuses', () => {
  test('callers without a login, those of others, and accounts that do not exist', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const editor = await insertPerson({ roles: ['editusers'] })
    expectFault(await get(ANYONE, pathOf(ann)), 401, 410)
    expectFault(await get(bob, pathOf(ann)), 401, 304)
    expectFault(await get(bob, '/rest/user/nobody@example.test/preferences'), 401, 304)
    expectFault(await get(bob, '/rest/user/999999999/preferences'), 401, 304)
    expectFault(await get(editor, '/rest/user/nobody@example.test/preferences'), 404, 51)
    expectFault(await get(editor, '/rest/user/999999999/preferences'), 404, 51)
    expectFault(await get(editor, '/rest/user/0/preferences'), 400, 52)
  })
})

describe('GET /user/{id_or_name}/preferences hides', () => {
  test('ignored bugs and watched places that the reader does not see now', async () => {
    const ann = await insertPerson()
    const editor = await insertPerson({ roles: ['editusers'] })
    const hiddenFrom = await insertGroup([ann])
    const place = await insertProduct({
      controls: [{ group: hiddenFrom, entry: true, memberControl: 3, otherControl: 3 }],
    })
    const about = await insertBug({ reporter: ann, place, groups: [hiddenFrom] })
    await watchPlaceOf(about, ann)
    await ignoreBug(ann, about)
    expect(await preferencesOf(ann)).toMatchObject({
      watching_components: [{ product: place.name, component: place.component }],
      ignored_bugs: [about.id],
    })
    expect(await preferencesOf(ann, editor)).toMatchObject({
      watching_components: [],
      ignored_bugs: [],
    })
    const other = await insertBug({ reporter: editor })
    await ignoreBug(ann, other)
    await restrictBug(other.id, await insertGroup())
    expect((await preferencesOf(ann)).ignored_bugs).toEqual([about.id])
  })

  test('watched people whom the reader does not see', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    await watchPerson(ann, bob)
    const headers = { 'X-Tracker-API-Key': ann.key }
    const answer = await fetchWith({ USE_VISIBILITY_GROUPS: 'on' }, pathOf(ann), { headers })
    expect(await answer.json()).toMatchObject({ watching: [] })
    expect((await preferencesOf(ann)).watching).toEqual([bob.login])
  })
})
