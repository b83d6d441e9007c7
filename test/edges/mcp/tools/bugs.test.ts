import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { get } from '../../../support/client.ts'
import { readRefusal, readTool } from '../../../support/clients/mcp.ts'

const author = await insertPerson()
const editor = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()

describe('get_bug', () => {
  test('reads a bug with its description, without empty fields', async () => {
    const id = await postBug(author, place, {
      description: 'x'.repeat(3001),
      alias: `a${Date.now()}`,
    })
    const { bug } = await readTool(author, 'get_bug', { bug: id })
    expect(bug).toMatchObject({ id, product: place.name })
    expect(bug.description).toMatch(/^x{3000} \[1 more characters; ask with text_length 3001\]$/)
    const names = ['creator_detail', 'update_token', 'whiteboard', 'keywords', 'dupe_of']
    expect(Object.keys(bug).filter((name) => names.includes(name))).toEqual([])
    const whole = await readTool(author, 'get_bug', { bug: bug.alias, text_length: 3001 })
    expect(whole.bug.description).toHaveLength(3001)
  })

  test('reads the fields that it is asked for', async () => {
    const id = await postBug(author, place)
    expect(await readTool(author, 'get_bug', { bug: id, fields: ['id', 'status'] })).toEqual({
      bug: { id, status: 'UNCONFIRMED' },
    })
  })

  test('names its own argument where it is asked for too many fields', async () => {
    const id = await postBug(author, place)
    const fields = Array.from({ length: 5_001 }, (_, n) => `f${n}`)
    const refusal = await readRefusal(author, 'get_bug', { bug: id, fields })
    expect(refusal).toMatch(/^The parameter 'fields' .*\(error 53\)$/)
  })

  test('says which of the fields that it is asked for have a tool of their own', async () => {
    const id = await postBug(author, place)
    const fields = ['id', 'comments.text', 'history', 'cc_detail']
    expect(await readTool(author, 'get_bug', { bug: id, fields })).toEqual({
      bug: { id },
      note: "'cc_detail' is left out. 'comments' is left out; list_comments reads it. 'history' is left out; get_history reads it.",
    })
  })
})

describe('file_bug', () => {
  test('files a bug with custom fields', async () => {
    const { name } = await insertCustomField(FIELD_TYPE.freeText)
    const body = {
      ...buildBugBody(place, { description: 'Why' }),
      custom_fields: { [name]: 'red' },
    }
    const { id } = await readTool(author, 'file_bug', body)
    const { body: read } = await get(author, `/rest/bug/${id}?include_fields=_default,description`)
    expect(read.bugs[0]).toMatchObject({ summary: body.summary, description: 'Why', [name]: 'red' })
  })

  test.each([[{ product: 'x' }], [[]], ['x']])(
    'refuses the custom fields %j with 53',
    async (fields) => {
      const body = { ...buildBugBody(place), custom_fields: fields }
      expect(await readRefusal(author, 'file_bug', body)).toContain('(error 53)')
    },
  )
})

describe('update_bug', () => {
  test('changes fields and comments in one step', async () => {
    const id = await postBug(author, place)
    const given = {
      ...{ bug: String(id), status: 'RESOLVED', resolution: 'FIXED', comment: 'Done.' },
      cc: { add: [author.login] },
    }
    const changed = await readTool(editor, 'update_bug', given)
    expect(changed).toMatchObject({
      id,
      changes: { status: { added: 'RESOLVED' }, cc: { added: author.login } },
    })
    const { comments } = await readTool(author, 'list_comments', { bug: id, newest_first: true })
    expect(comments[0]).toMatchObject({ text: 'Done.', creator: editor.login })
  })

  test('gives a bug back to the default assignee of its component', async () => {
    const id = await postBug(author, place)
    const { bug: filed } = await readTool(author, 'get_bug', { bug: id })
    await readTool(editor, 'update_bug', { bug: id, assigned_to: author.login })
    await readTool(editor, 'update_bug', { bug: id, reset_assigned_to: true })
    const { bug } = await readTool(author, 'get_bug', { bug: id })
    expect(bug.assigned_to).toBe(filed.assigned_to)
  })

  test('comments once under an idempotency key, however often it is called', async () => {
    const bug = await postBug(author, place)
    const given = { bug, comment: 'Once', priority: 'Highest', idempotency_key: uniqueName('key') }
    const first = await readTool(editor, 'update_bug', given)
    expect(await readTool(editor, 'update_bug', given)).toEqual(first)
    const { comments } = await readTool(author, 'list_comments', { bug })
    expect(comments).toHaveLength(2)
    const other = { ...given, comment: 'Else' }
    expect(await readRefusal(editor, 'update_bug', other)).toContain('(error 32000)')
  })

  test('sets custom fields, and is refused with 53 and changes nothing where one does not exist', async () => {
    const bug = await postBug(author, place)
    const { name } = await insertCustomField(FIELD_TYPE.freeText)
    const custom_fields = { [name]: 'red', cf_nope: 'x' }
    const given = { bug, priority: 'Highest', comment: 'Please', custom_fields }
    const refusal = await readRefusal(editor, 'update_bug', given)
    expect(refusal).toBe(
      "The parameter 'cf_nope' has no effect, so nothing was changed. (error 53)",
    )
    const { comments } = await readTool(author, 'list_comments', { bug })
    expect(comments).toHaveLength(1)
    const { changes } = await readTool(editor, 'update_bug', {
      bug,
      custom_fields: { [name]: 'red' },
    })
    expect(changes).toEqual({ [name]: { removed: '', added: 'red' } })
  })

  test('makes a duplicate', async () => {
    const [original, id] = [await postBug(author, place), await postBug(author, place)]
    await readTool(editor, 'update_bug', { bug: id, dupe_of: original })
    const { bug } = await readTool(author, 'get_bug', { bug: id })
    expect(bug).toMatchObject({ resolution: 'DUPLICATE', dupe_of: original })
  })

  test('is refused to people without the right, and changes nothing', async () => {
    const id = await postBug(editor, place)
    const given = { bug: id, priority: 'Highest', comment: 'Please' }
    expect(await readRefusal(author, 'update_bug', given)).toContain('(error 115)')
    const { comments } = await readTool(author, 'list_comments', { bug: id })
    expect(comments).toHaveLength(1)
  })
})
