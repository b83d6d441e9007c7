import { describe, expect, test } from 'vitest'
import { withApiNames } from '../../../../src/tracker/bugs/model/legacy-names.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { type Answer, get, post, put } from '../../../support/client.ts'
import { readBug } from '../../../support/clients/bugs.ts'

const editor = await insertPerson({ roles: ['editbugs'] })

describe('the legacy names of fields', () => {
  test('mean the names of the API, which win when both are given', () => {
    expect(withApiNames({ bug_status: 'NEW', op_sys: 'Linux' })).toMatchObject({
      status: 'NEW',
      op_sys: 'Linux',
    })
    expect(withApiNames({ bug_status: 'NEW', status: 'RESOLVED' }).status).toBe('RESOLVED')
    expect(withApiNames({ status_whiteboard: null })).toMatchObject({ whiteboard: null })
  })

  test('are unused parameters only beside the names of the API', async () => {
    const unusedIn = ({ headers }: Answer) => headers.get('x-tracker-warnings')
    const place = await insertProduct()
    const [id, other] = [await postBug(editor, place), await postBug(editor, place)]
    const change = (body: object) => put(editor, `/rest/bug/${id}`, body)
    const used = await change({ bug_severity: 'major', dependson: { add: [] } })
    expect(Object.keys(used.body.bugs[0].changes)).toEqual(['severity'])
    expect(unusedIn(used)).toBeNull()
    const overruled = await change({
      ...{ bug_severity: 'minor', severity: 'normal' },
      ...{ dependson: { add: [id] }, depends_on: { add: [other] }, regressed_by: { add: [other] } },
    })
    expect(overruled.body.bugs[0].changes).toMatchObject({ severity: { added: 'normal' } })
    expect(unusedIn(overruled)).toBe('unused parameters: bug_severity, dependson')

    const file = async (body: object) =>
      unusedIn(await post(editor, '/rest/bug', { ...buildBugBody(place), ...body }))
    expect(await file({ rep_platform: 'All' })).toBeNull()
    expect(await file({ rep_platform: 'All', platform: 'PC' })).toBe(
      'unused parameters: rep_platform',
    )
  })

  test('are accepted when a bug is filed, changed and searched for', async () => {
    const word = uniqueName('lamp')
    const id = await postBug(editor, await insertProduct(), {
      summary: undefined,
      short_desc: `The ${word} is dark`,
      bug_severity: 'major',
      rep_platform: 'All',
    })
    expect(await readBug(id)).toMatchObject({ severity: 'major', platform: 'All' })

    const answer = await put(editor, `/rest/bug/${id}`, { status_whiteboard: `[${word}] now` })
    expect(Object.keys(answer.body.bugs[0].changes)).toEqual(['whiteboard'])

    const found = async (query: string) =>
      (await get(editor, `/rest/bug?${query}&include_fields=id`)).body.bugs
    expect(await found(`short_desc=dark+${word}`)).toEqual([{ id }])
    expect(await found(`short_desc=dark&short_desc=${word}`)).toEqual([{ id }])
    expect(await found(`short_desc=${word}&short_desc=nowhere`)).toEqual([])
    expect(await found(`status_whiteboard=now,${word}`)).toEqual([{ id }])
  })
})
