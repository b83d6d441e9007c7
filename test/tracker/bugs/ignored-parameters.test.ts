import { describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { type Answer, type Sender, send } from '../../support/client.ts'
import { readRefusal } from '../../support/clients/mcp.ts'

/** What a request gives and has no effect, named in a header of the answer. */

const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const reporter = await insertPerson()
const place = await insertProduct()
const original = await postBug(editor, place)

function ignored({ status, text, headers }: Answer): string {
  expect(status, text).toBeLessThan(300)
  return headers.get('x-tracker-warnings') ?? ''
}

describe('an update names', () => {
  const change = async (given: object, sender: Sender = editor) => {
    const bug = await postBug(editor, place)
    return ignored(await send(sender, 'PUT', `/rest/bug/${bug}`, given))
  }

  test.each<[string, object]>([
    ['dupe_of', { dupe_of: original, status: 'IN_PROGRESS' }],
    ['resolution', { dupe_of: original, resolution: 'FIXED' }],
    ['assigned_to', { reset_assigned_to: true, assigned_to: reporter.login }],
    ['qa_contact', { reset_qa_contact: true, qa_contact: reporter.login }],
    ['comment_tags', { comment_tags: ['later'], priority: 'Low' }],
  ])('%s where something else overrules it', async (name, given) => {
    expect(await change(given)).toBe(`unused parameters: ${name}`)
  })

  test('tags of its comment where the caller may not tag', async () => {
    const given = { comment: 'Words.', comment_tags: ['later'] }
    expect(await change(given, reporter)).toBe('unused parameters: comment_tags')
    expect(await change(given)).toBe('')
  })

  test.each<[object]>([
    [{ dupe_of: original }],
    [{ dupe_of: original, status: 'RESOLVED', resolution: 'DUPLICATE' }],
    [{ dupe_of: null, status: 'IN_PROGRESS' }],
    [{ reset_assigned_to: false, assigned_to: reporter.login }],
    [{ comment_tags: [], comment: '' }],
  ])('nothing in %j', async (given) => {
    expect(await change(given)).toBe('')
  })

  test('it to a model, and changes nothing', async () => {
    const given = { bug: String(original), status: 'IN_PROGRESS', dupe_of: '1' }
    expect(await readRefusal(editor, 'update_bug', given)).toMatch(/'dupe_of' has no effect/)
  })
})

describe('a new bug names', () => {
  const file = async (sender: Sender, given: object) =>
    ignored(await send(sender, 'POST', '/rest/bug', { ...buildBugBody(place), ...given }))

  test('what the caller may not set', async () => {
    const given = {
      assigned_to: editor.login,
      depends_on: [original],
      status: 'CONFIRMED',
      deadline: '2030-01-01',
      comment_tags: ['later'],
    }
    expect(await file(reporter, given)).toBe(
      'unused parameters: assigned_to, depends_on, status, deadline, comment_tags',
    )
    expect(await file(editor, given)).toBe('')
  })

  test('nothing that is blank or empty', async () => {
    const given = { assigned_to: '', qa_contact: ' ', blocks: [], estimated_time: null }
    expect(await file(reporter, { ...given, comment_tags: [] })).toBe('')
  })
})

test('a comment names hours and tags of who may not give them', async () => {
  const given = { comment: 'Words.', work_time: 2, comment_tags: ['later'] }
  const comment = async (sender: Sender) =>
    ignored(await send(sender, 'POST', `/rest/bug/${original}/comment`, given))
  expect(await comment(reporter)).toBe('unused parameters: comment_tags, work_time')
  expect(await comment(editor)).toBe('')
})
