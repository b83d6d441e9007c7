import { describe, expect, test } from 'vitest'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, get } from '../../../support/client.ts'
import { readFaultCode, readResult } from '../../../support/clients/rpc.ts'

const editor = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()
const one = await postBug(editor, place)
const two = await postBug(editor, place)

describe('the methods of bugs', () => {
  test('read several bugs, their history and their comments', async () => {
    const ids = [one, two]
    for (const [method, path] of [
      ['Bug.get', ''],
      ['Bug.history', '/history'],
      ['Bug.comments', '/comment'],
      ['Bug.attachments', '/attachment'],
    ]) {
      const rest = await get(ANYONE, `/rest/bug/${one}${path}?ids=${two}`)
      expect(await readResult(ANYONE, method ?? '', { ids })).toEqual(rest.body)
    }
    expect(await readFaultCode(ANYONE, 'Bug.get', { ids: [one, 98_765_432] })).toBe(101)
    const lenient = await readResult(ANYONE, 'Bug.get', { ids: [98_765_432, one], permissive: 1 })
    expect(lenient).toMatchObject({ bugs: [{ id: one }], faults: [{ faultCode: 101 }] })
  })

  test('read no bugs by an empty list of IDs, and refuse a call without a list', async () => {
    for (const ids of [[], [one]].values()) {
      const given = { ids, permissive: 1, include_fields: ['id'] }
      expect(await readResult(ANYONE, 'Bug.get', given)).toEqual({
        ...{ bugs: ids.map((id) => ({ id })), faults: [] },
      })
    }
    expect(await readFaultCode(ANYONE, 'Bug.get', {})).toBe(50)
    expect(await readFaultCode(editor, 'Bug.update', { ids: [] })).toBe(50)
  })

  test('file and change bugs', async () => {
    const { id } = await readResult(editor, 'Bug.create', {
      ...{
        product: place.name,
        component: place.component,
        version: place.version,
        summary: 'New',
      },
    })
    const changed = await readResult(editor, 'Bug.update', {
      ids: [id, one],
      whiteboard: '[x]',
      comment: { body: 'Why?' },
    })
    expect(changed.bugs.map((bug: { id: number }) => bug.id)).toEqual([id, one])
    const { comments } = (await readResult(ANYONE, 'Bug.comments', { ids: [id] })).bugs[id]
    expect(comments.at(-1)).toMatchObject({ text: 'Why?' })
    const read = await readResult(ANYONE, 'Bug.comments', { comment_ids: [comments[1].id] })
    expect(Object.keys(read.comments)).toEqual([String(comments[1].id)])
  })

  test('change links and personal tags in forms of their own', async () => {
    const add = ['https://example.org/1', 'https://example.org/2']
    expect(await readResult(editor, 'Bug.update_see_also', { ids: [two], add })).toEqual({
      changes: { [two]: { see_also: { added: add, removed: [] } } },
    })
    const remove = { ids: [two], remove: add.slice(0, 1) }
    expect(await readResult(editor, 'Bug.update_see_also', remove)).toEqual({
      changes: { [two]: { see_also: { added: [], removed: add.slice(0, 1) } } },
    })
    expect(await readResult(editor, 'Bug.update_see_also', remove)).toEqual({
      changes: { [two]: {} },
    })
    const tags = { ids: [two], tags: { add: ['later'] } }
    expect(await readResult(editor, 'Bug.update_tags', tags)).toEqual({
      changes: { [two]: { tags: { added: ['later'], removed: [] } } },
    })
    expect(await readResult(editor, 'Bug.update_tags', tags)).toEqual({ changes: { [two]: {} } })
    const read = await readResult(editor, 'Bug.get', { ids: [two], include_fields: ['tags'] })
    expect(read.bugs).toEqual([{ tags: ['later'] }])
  })

  test('add, render and tag comments', async () => {
    const { id } = await readResult(editor, 'Bug.add_comment', { id: one, comment: '*x*' })
    const tags = { comment_id: id, add: ['noise'] }
    expect(await readResult(editor, 'Bug.update_comment_tags', tags)).toEqual(['noise'])
    expect(await readResult(editor, 'Bug.search_comment_tags', { query: 'nois' })).toContain(
      'noise',
    )
    const { html } = await readResult(editor, 'Bug.render_comment', { text: '*x*' })
    expect(html).toContain('<em>x</em>')
    expect(await readFaultCode(editor, 'Bug.add_comment', { comment: 'x' })).toBe(50)
  })

  test('change attachments', async () => {
    const file = {
      ids: [one],
      data: btoa('x'),
      file_name: 'a',
      summary: 'b',
      content_type: 'text/plain',
    }
    const { ids } = await readResult(editor, 'Bug.add_attachment', file)
    const update = { ids, summary: 'c' }
    const { attachments } = await readResult(editor, 'Bug.update_attachment', update)
    expect(attachments).toMatchObject([{ id: ids[0], changes: { summary: { added: 'c' } } }])
  })

  test('read fields, legal values and visits', async () => {
    const fields = await readResult(ANYONE, 'Bug.fields', { names: ['priority'] })
    expect(fields.fields).toMatchObject([{ name: 'priority' }])
    const { values } = await readResult(ANYONE, 'Bug.legal_values', { field: 'priority' })
    expect(values.length).toBeGreaterThan(1)
    const versions = { field: 'version', product_id: place.id }
    expect((await readResult(ANYONE, 'Bug.legal_values', versions)).values).toContain(place.version)
    expect(await readResult(editor, 'BugUserLastVisit.update', { ids: [one] })).toMatchObject([
      { id: one },
    ])
    expect(await readResult(editor, 'BugUserLastVisit.get', { ids: [one] })).toHaveLength(1)
  })

  test('find bugs by a search and by words of their summaries', async () => {
    const { bugs } = await readResult(ANYONE, 'Bug.search', { product: place.name, limit: 1 })
    expect(bugs).toHaveLength(1)
    const { summary } = bugs[0]
    const similar = await readResult(ANYONE, 'Bug.possible_duplicates', { summary, limit: 1 })
    expect(similar.bugs).toMatchObject([{ id: bugs[0].id }])
  })
})
