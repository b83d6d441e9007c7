import { describe, expect, test } from 'vitest'
import { insertBugs, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, get, send } from '../../../support/client.ts'
import {
  buildXmlCall,
  buildXmlStruct,
  callXml,
  xmlFaultCode,
} from '../../../support/clients/rpc.ts'

const idList = (...ids: number[]) =>
  `<array><data>${ids.map((id) => `<value><int>${id}</int></value>`).join('')}</data></array>`

const author = await insertPerson()
const id = await postBug(author, await insertProduct(), { description: 'a\r\nb <c> & \u0007' })

describe('POST /xmlrpc.cgi', () => {
  test('answers the result with the types of the protocol', async () => {
    const { status, text, headers } = await callXml(ANYONE, 'Bug.get', { ids: idList(id) })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/xml; charset=utf-8')
    expect(text).toContain(`<name>id</name><value><int>${id}</int></value>`)
    expect(text).toMatch(/<name>creation_time<\/name><value><dateTime.iso8601>\d{8}T[\d:]{8}</)
    expect(text).not.toContain('<nil/>')
    expect(text).not.toContain('<name>dupe_of</name>')
  })

  test('is where XML goes that is sent to the address of the service itself', async () => {
    const call = buildXmlCall('Bug.get', buildXmlStruct({ ids: idList(id) }))
    const xml = { 'content-type': 'text/xml' }
    const { status, text } = await send(ANYONE, 'POST', '/', call, xml)
    expect(status).toBe(200)
    expect(text).toContain(`<name>id</name><value><int>${id}</int></value>`)
    expect((await send(ANYONE, 'POST', '/', 'a=b')).status).toBe(405)
  })

  test('escapes texts so that every parser can read them', async () => {
    const { text } = await callXml(ANYONE, 'Bug.comments', { ids: idList(id) })
    expect(text).toContain('<string>a\nb &lt;c&gt; &amp; \ufffd</string>')
  })

  test('answers faults with the number of the REST API and status 200', async () => {
    const unknown = await callXml(ANYONE, 'Bug.get', { ids: idList(98_765_432) })
    expect([unknown.status, xmlFaultCode(unknown.text)]).toEqual([200, 101])
    expect(unknown.text).toContain('There is no bug with the ID 98765432.')
    expect(xmlFaultCode((await callXml(ANYONE, 'Bug.nothing')).text)).toBe(-32601)
    expect(xmlFaultCode((await callXml(ANYONE, 'Bug.update', { ids: idList(id) })).text)).toBe(410)
    const bomb = await send(ANYONE, 'POST', '/xmlrpc.cgi', '<!DOCTYPE a><methodCall/>')
    expect([bomb.status, xmlFaultCode(bomb.text)]).toEqual([200, -32700])
  })

  test('stores the bytes of an attachment and answers them', async () => {
    const bytes = Uint8Array.from({ length: 30_000 }, (_, n) => n % 251)
    const base64 = btoa(String.fromCharCode(...bytes)).replace(/.{76}/g, '$&\r\n')
    const added = await callXml(author, 'Bug.add_attachment', {
      ids: idList(id),
      data: `<base64>${base64}</base64>`,
      file_name: 'a.bin',
      summary: 'Bytes',
      content_type: 'application/octet-stream',
    })
    const [, attachmentId = ''] = /<name>ids<\/name>.*?<int>(\d+)<\/int>/.exec(added.text) ?? []
    const read = await callXml(ANYONE, 'Bug.attachments', {
      attachment_ids: idList(Number(attachmentId)),
    })
    expect(read.text).toContain(`<base64>${base64.replaceAll('\r\n', '')}</base64>`)
  })

  test('takes the data of an attachment as text when it is no base64', async () => {
    const added = await callXml(author, 'Bug.add_attachment', {
      ...{ ids: idList(id), data: '<string>plain é</string>' },
      ...{ file_name: 'a.txt', summary: 'Text', content_type: 'text/plain' },
    })
    const [, attachmentId = ''] = /<name>ids<\/name>.*?<int>(\d+)<\/int>/.exec(added.text) ?? []
    expect((await get(ANYONE, `/attachment/${attachmentId}`)).text).toBe('plain é')
  })

  test('streams a search that does not fit into memory, complete', async () => {
    const { place, ids } = await insertBugs(author, 520)
    const { text } = await callXml(ANYONE, 'Bug.search', {
      product: place.name,
      include_fields: '<array><data><value>id</value></data></array>',
    })
    const found = [...text.matchAll(/<name>id<\/name><value><int>(\d+)/g)].map(([, each]) =>
      Number(each),
    )
    expect(found).toEqual(ids)
    expect(text.endsWith('</param></params></methodResponse>')).toBe(true)
  })

  test('is the only method of its address', async () => {
    const answer = await get(ANYONE, '/xmlrpc.cgi')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
    const options = await send(ANYONE, 'OPTIONS', '/xmlrpc.cgi')
    expect(options.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('takes credentials in parameters, headers and the query', async () => {
    const key = { Bugzilla_api_key: author.key }
    expect((await callXml(ANYONE, 'User.whoami', key)).text).toContain(author.login)
    expect((await callXml(author, 'User.whoami')).text).toContain(author.login)
    const xml = buildXmlCall('User.whoami', buildXmlStruct({}))
    const answer = await send(ANYONE, 'POST', `/xmlrpc.cgi?api_key=${author.key}`, xml)
    expect(answer.text).toContain(author.login)
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    expect(xmlFaultCode((await callXml(ANYONE, 'User.whoami')).text)).toBe(410)
    const wrong = { ids: idList(id), api_key: 'wrong' }
    expect(xmlFaultCode((await callXml(ANYONE, 'Bug.get', wrong)).text)).toBe(306)
  })
})
