import { describe, expect, test } from 'vitest'
import { insertBug, postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { ANYONE, get } from '../../../support/client.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const reporter = await insertPerson({ realName: 'Rita Reporter [:rita]' })
const editor = await insertPerson({ roles: ['editbugs'] })
const insider = await insertPerson({ roles: ['insider'] })
const stranger = await insertPerson()
const member = await insertPerson()
const secret = await insertGroup([member])
const place = await insertProduct({ assignee: editor })

describe('the visibility of GET /bug/:id', () => {
  test('hides a bug in a group from everybody except members and the people of the bug', async () => {
    const [owner, assignee, qaContact, copied] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const { id } = await insertBug({
      reporter: owner,
      assignee,
      qaContact,
      cc: [copied],
      groups: [secret],
    })
    const allowed = async () =>
      (
        await Promise.all(
          Object.entries({
            anyone: ANYONE,
            stranger,
            insider,
            editor,
            member,
            owner,
            assignee,
            qaContact,
            copied,
          }).map(async ([name, who]) =>
            (await get(who, `/rest/bug/${id}`)).status === 200 ? [name] : [],
          ),
        )
      ).flat()

    expect(await allowed()).toEqual(['member', 'owner', 'assignee', 'qaContact', 'copied'])
    await updateBugRow(id, { is_creator_accessible: 0 })
    expect(await allowed()).toEqual(['member', 'assignee', 'qaContact', 'copied'])
    await updateBugRow(id, { is_cc_accessible: 0 })
    expect(await allowed()).toEqual(['member', 'assignee', 'qaContact'])
    await updateBugRow(id, { qa_contact_id: null })
    expect(await allowed()).toEqual(['member', 'assignee'])
  })

  test('hides the domains of logins from anonymous callers with the setting HIDE_EMAIL_DOMAINS', async () => {
    const id = await postBug(reporter, place, { cc: [stranger.login] })
    const readPeople = async (headers: Record<string, string>) => {
      const path = `/rest/bug/${id}?include_fields=creator,cc`
      const answer = await fetchWith({ HIDE_EMAIL_DOMAINS: 'on' }, path, { headers })
      const { bugs }: { bugs: unknown[] } = await answer.json()
      return bugs[0]
    }
    const local = ({ login }: TestPerson) => login.slice(0, login.indexOf('@'))

    expect(await readPeople({})).toMatchObject({
      creator: local(reporter),
      creator_detail: { name: local(reporter), email: local(reporter) },
      cc: [local(stranger)],
      cc_detail: [{ name: local(stranger), email: local(stranger) }],
    })
    expect(await readPeople({ 'x-tracker-api-key': stranger.key })).toMatchObject({
      creator: reporter.login,
      cc: [stranger.login],
    })
  })
})
