import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../support/builders/bugs.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { ANYONE, get, post, put } from '../support/client.ts'

describe('the life of a bug', () => {
  test('leads from the report through discussion to the resolution', async () => {
    const reporter = await insertPerson()
    const developer = await insertPerson({ roles: ['editbugs'] })
    const place = await insertProduct({ assignee: developer })

    const filed = await post(
      reporter,
      '/rest/bug',
      buildBugBody(place, { description: 'It breaks.' }),
    )
    expect(filed.text).toContain('"id"')
    const id = filed.body.id

    const fresh = await get(ANYONE, `/rest/bug/${id}`)
    expect(fresh.body.bugs[0]).toMatchObject({
      id,
      status: 'UNCONFIRMED',
      resolution: '',
      is_open: true,
      is_confirmed: false,
      assigned_to: developer.login,
      creator: reporter.login,
      comment_count: 1,
    })

    const said = await post(reporter, `/rest/bug/${id}/comment`, { comment: 'Still there.' })
    expect(said.status).toBe(201)

    const taken = await put(developer, `/rest/bug/${id}`, {
      status: 'IN_PROGRESS',
      whiteboard: '[a]',
    })
    expect(taken.body.bugs[0].changes).toEqual({
      status: { removed: 'UNCONFIRMED', added: 'IN_PROGRESS' },
      is_confirmed: { removed: '0', added: '1' },
      whiteboard: { removed: '', added: '[a]' },
    })

    const closed = await put(developer, `/rest/bug/${id}`, {
      status: 'RESOLVED',
      resolution: 'FIXED',
      comment: { body: 'Done.' },
      cc: { add: [reporter.login] },
    })
    expect(closed.body.bugs[0].changes).toEqual({
      status: { removed: 'IN_PROGRESS', added: 'RESOLVED' },
      resolution: { removed: '', added: 'FIXED' },
      cc: { removed: '', added: reporter.login },
    })

    const comments = await get(ANYONE, `/rest/bug/${id}/comment`)
    expect(
      comments.body.bugs[id].comments.map((comment: { text: string }) => comment.text),
    ).toEqual(['It breaks.', 'Still there.', 'Done.'])
    const found = await get(ANYONE, `/rest/bug?product=${place.name}&status=RESOLVED`)
    expect(found.body.bugs.map((bug: { id: number }) => bug.id)).toEqual([id])
  })
})
