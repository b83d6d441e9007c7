import { describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { ANYONE, get, post } from '../../../support/client.ts'
import { readWholeBug } from '../../../support/clients/bugs.ts'
import { buildFilingWorld } from '../../../support/worlds/filing.ts'

const { place, reporter, editor, insider, member, team } = await buildFilingWorld()

describe('the visibility of POST /bug', () => {
  test('rejects products that the caller may not enter with 106, as if they did not exist', async () => {
    const home = await insertProduct({
      controls: [{ group: team, entry: true, memberControl: 3, otherControl: 3 }],
    })
    const readMessage = async (name: string) => {
      const answer = await post(reporter, '/rest/bug', buildBugBody({ ...home, name }))
      expect(answer).toMatchObject({ status: 401, body: { code: 106 } })
      return answer.body.message.replace(name, 'X')
    }
    expect(await readMessage(home.name)).toBe(await readMessage('No such product'))
    expect(await postBug(member, home)).toBeGreaterThan(0)
  })

  test('hides that a product is closed from people who may not see it', async () => {
    const home = await insertProduct({
      isActive: false,
      controls: [{ group: team, memberControl: 3, otherControl: 3 }],
    })
    const readMessage = async (who: TestPerson) =>
      (await post(who, '/rest/bug', buildBugBody(home))).body.message
    expect(await readMessage(member)).toContain('takes no new bugs')
    expect(await readMessage(reporter)).toContain('does not exist or you are not allowed')
  })

  test('hides bugs of a group from everybody outside of it except the reporter', async () => {
    const id = await postBug(member, place, { groups: [team.name.toUpperCase()] })
    expect((await readWholeBug(member, id)).groups).toEqual([team.name])
    for (const who of [ANYONE, reporter, editor]) {
      expect((await get(who, `/rest/bug/${id}`)).body.code).toBe(102)
    }
    const home = await insertProduct({
      controls: [{ group: team, memberControl: 3, otherControl: 3 }],
    })
    const forced = await postBug(reporter, home, { groups: [] })
    expect((await readWholeBug(reporter, forced)).groups).toEqual([team.name])
    expect((await get(editor, `/rest/bug/${forced}`)).body.code).toBe(102)
  })

  test('hides a private description from everybody except insiders', async () => {
    const id = await postBug(insider, place, {
      description: 'Between us.',
      comment_is_private: true,
    })
    expect((await readWholeBug(insider, id)).description).toBe('Between us.')
    expect(await readWholeBug(reporter, id)).toMatchObject({ description: '', comment_count: 0 })
  })
})
