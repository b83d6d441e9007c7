import { describe, expect, test } from 'vitest'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { get } from '../../../support/client.ts'
import { callTool, readRefusal, readTool } from '../../../support/clients/mcp.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const author = await insertPerson()
const bug = await postBug(author, await insertProduct())

const described = () => ({ bug, file_name: 'log.txt', summary: 'A log' })

describe('attach_file', () => {
  test('attaches a text, which needs no content type', async () => {
    const given = { ...described(), text: 'Grüße\n', comment: 'Here' }
    const { id } = await readTool(author, 'attach_file', given)
    expect((await get(author, `/attachment/${id}`)).text).toBe('Grüße\n')
    const { attachments } = await readTool(author, 'list_attachments', { bug })
    expect(attachments).toMatchObject([
      { id, file_name: 'log.txt', size: 8, creator: author.login, content_type: 'text/plain' },
    ])
    expect(Object.keys(attachments[0])).not.toContain('creator_detail')
    expect(attachments[0].data).toBeUndefined()
    const typed = { ...described(), text: '{}', content_type: 'application/json' }
    const { id: attachment_id } = await readTool(author, 'attach_file', typed)
    const read = await readTool(author, 'get_attachment', { attachment_id })
    expect(read.attachment.content_type).toBe('application/json')
    expect(Object.keys(read.attachment)).not.toContain('creator_detail')
  })

  test('attaches bytes from base64 beyond the limit of other bodies', async () => {
    const data = btoa('x'.repeat(1_200_000))
    const given = { ...described(), data, content_type: 'text/plain' }
    const { id } = await readTool(author, 'attach_file', given)
    expect((await get(author, `/attachment/${id}`)).text).toHaveLength(1_200_000)
  })

  test('is refused with both, and with neither', async () => {
    const both = { ...described(), text: 'x', data: 'eA==', content_type: 'text/plain' }
    expect(await readRefusal(author, 'attach_file', both)).toContain('(error 53)')
    expect(await readRefusal(author, 'attach_file', described())).toBe(
      "The parameter 'text' or 'data' is required. (error 50)",
    )
  })

  test('attaches a repeated call once under an idempotency key', async () => {
    const given = {
      ...described(),
      text: 'once',
      content_type: 'text/plain',
      idempotency_key: 'k1',
    }
    const first = await readTool(author, 'attach_file', given)
    expect(await readTool(author, 'attach_file', given)).toEqual(first)
    const other = { ...given, text: 'else' }
    expect(await readRefusal(author, 'attach_file', other)).toContain('(error 32000)')
  })
})

describe('get_attachment', () => {
  test('reads a text in parts', async () => {
    const text = 'a'.repeat(20_000) + 'é'.repeat(10)
    const data = btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    const attachment_id = await postAttachment(author, bug, { data })
    const first = await readTool(author, 'get_attachment', { attachment_id })
    expect(first).toMatchObject({ text: 'a'.repeat(20_000), attachment: { id: attachment_id } })
    expect(first.note).toBe('For more, call again with offset 20000.')
    const rest = await readTool(author, 'get_attachment', { attachment_id, offset: 20_000 })
    expect(rest).toMatchObject({ text: 'é'.repeat(10) })
    expect(rest.note).toBeUndefined()
  })

  test('shows a picture', async () => {
    const attachment_id = await postAttachment(author, bug, {
      ...{ data: PIXEL, content_type: 'image/png', file_name: 'dot.png' },
    })
    const { content } = await callTool(author, 'get_attachment', { attachment_id })
    expect(content).toMatchObject([
      { type: 'text' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
    ])
  })

  test('says where to download everything else', async () => {
    const attachment_id = await postAttachment(author, bug, {
      ...{ data: btoa('\xff\xfe\x00'), content_type: 'application/zip' },
    })
    const { note, text } = await readTool(author, 'get_attachment', { attachment_id })
    expect(note).toContain(`/attachment.cgi?id=${attachment_id}.`)
    expect(text).toBeUndefined()
  })

  test('refuses arguments that make no attachment', async () => {
    const missing = { attachment_id: 98_765_432 }
    expect(await readRefusal(author, 'get_attachment', missing)).toContain('names no attachment')
    expect(await readRefusal(author, 'get_attachment', { attachment_id: 'x' })).toContain('52')
  })
})
