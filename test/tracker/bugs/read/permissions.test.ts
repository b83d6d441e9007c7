import { describe, expect, test } from 'vitest'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestGroup, TestProduct } from '../../../support/builders/types.ts'
import { ANYONE, get, put, type Sender } from '../../../support/client.ts'

type Permissions = {
  fields: string[]
  statuses: { name: string; comment_required: boolean }[]
  groups: string[]
}

const editor = await insertPerson({ roles: ['editbugs', 'insider', 'timetracking'] })
const reporter = await insertPerson()
const assignee = await insertPerson()
const stranger = await insertPerson()
const place = await insertProduct({ assignee })

async function read(who: Sender, id: number): Promise<Permissions> {
  const { body, text } = await get(who, `/rest/bug/${id}?include_fields=permissions`)
  expect(body?.bugs, text).toHaveLength(1)
  return body.bugs[0].permissions
}

/** A value of each kind of field that no bug here has. */
const OTHER: Readonly<Record<string, unknown>> = {
  summary: 'Another one',
  whiteboard: '[other]',
  url: 'https://other.test',
  priority: 'P3',
  severity: 'S3',
  type: 'task',
  platform: 'All',
  op_sys: 'All',
  version: '1.0',
  is_cc_accessible: false,
  deadline: '2031-01-01',
  estimated_time: 3,
  see_also: { add: ['https://other.test/1'] },
}

describe('the field permissions of a bug', () => {
  test.each([
    ['an editor', () => editor],
    ['the reporter', () => reporter],
    ['the assignee', () => assignee],
    ['a stranger', () => stranger],
  ])('names for %s exactly the fields that an update accepts from them', async (_, who) => {
    const id = await postBug(reporter, place)
    const { fields } = await read(who(), id)
    for (const [field, value] of Object.entries({ ...OTHER, assigned_to: stranger.login })) {
      const { status, body } = await put(who(), `/rest/bug/${id}`, { [field]: value })
      expect([field, status === 200], body?.message).toEqual([field, fields.includes(field)])
      if (field === 'assigned_to') {
        break
      }
    }
  })

  test.each([
    ['an editor', () => editor],
    ['the reporter', () => reporter],
    ['the assignee', () => assignee],
    ['a stranger', () => stranger],
  ])('lists for %s exactly the statuses that an update accepts from them', async (_, who) => {
    const { statuses } = await read(who(), await postBug(reporter, place))
    const names = ['CONFIRMED', 'IN_PROGRESS', 'RESOLVED', 'VERIFIED']
    for (const status of names) {
      const id = await postBug(reporter, place)
      const answer = await put(who(), `/rest/bug/${id}`, { status, resolution: 'FIXED' })
      const isListed = statuses.some(({ name }) => name === status)
      expect([status, answer.status === 200]).toEqual([status, isListed])
    }
  })

  test('leaves UNCONFIRMED out in products that do without it', async () => {
    const strict = await insertProduct({ hasUnconfirmed: false })
    const names = async (at: TestProduct) => {
      const id = await postBug(editor, at, { status: 'CONFIRMED' })
      return (await read(editor, id)).statuses.map(({ name }) => name)
    }
    expect(await names(place)).toContain('UNCONFIRMED')
    expect(await names(strict)).not.toContain('UNCONFIRMED')
  })

  test('lists groups that the caller chooses, not those of others nor what is fixed', async () => {
    const [own, foreign, fixed]: TestGroup[] = [
      await insertGroup([editor]),
      await insertGroup(),
      await insertGroup([editor]),
    ]
    const at = await insertProduct({
      controls: [
        { group: own as TestGroup, memberControl: 1 },
        { group: foreign as TestGroup, memberControl: 1 },
        { group: fixed as TestGroup, memberControl: 3, otherControl: 3 },
      ],
    })
    const id = await postBug(editor, at)
    expect((await read(editor, id)).groups).toEqual([own?.name])
  })

  test('is empty for anonymous callers, and where the product is closed to the caller', async () => {
    const team = await insertGroup([editor])
    const closed = await insertProduct({ controls: [{ group: team, canEdit: true }] })
    const id = await postBug(editor, closed)
    const nothing = { fields: [], statuses: [], groups: [] }
    expect(await read(ANYONE, id)).toEqual(nothing)
    expect(await read(reporter, id)).toEqual(nothing)
    expect((await read(editor, id)).fields).toContain('summary')
  })

  test('comes to those alone who name it', async () => {
    const id = await postBug(reporter, place)
    const { body } = await get(editor, `/rest/bug/${id}?include_fields=_all`)
    expect(body.bugs[0]).not.toHaveProperty('permissions')
  })
})
