import { Context } from 'hono'
import { describe, expect, test } from 'vitest'
import { readXmlCall } from '../../../../src/edges/rpc/xml/read-call.ts'
import { Fault } from '../../../../src/platform/faults/fault.ts'
import type { AppEnv } from '../../../../src/platform/http/request/app-env.ts'
import { buildXmlCall, buildXmlStruct } from '../../../support/clients/rpc.ts'

const ENV = { MAX_BODY_KB: '64', MAX_ATTACHMENT_KB: '1024' } as Env

async function readFrom(body: BodyInit) {
  const request = new Request('https://tracker.test/xmlrpc.cgi', { method: 'POST', body })
  const c = new Context<AppEnv>(request, { env: ENV })
  try {
    const { parameters, upload } = await readXmlCall(c, false)
    return { parameters, size: upload?.size, blocks: upload?.blocks.length }
  } catch (error) {
    return error instanceof Fault ? error.code : error
  } finally {
    c.get('uploadMemory')?.release()
  }
}

const buildUpload = (bytes: number, more: Record<string, string> = {}) => {
  const lines = btoa('x'.repeat(bytes)).replace(/.{76}/g, '$&\n')
  return buildXmlCall('x', buildXmlStruct({ data: `<base64>${lines}</base64>`, ...more }))
}

describe('the body of a call in XML', () => {
  test('may hold an upload that is larger than the rest may be', async () => {
    const read = await readFrom(buildUpload(1024 * 1024, { a: '<int>1</int>' }))
    expect(read).toMatchObject({ parameters: { data: '', a: 1 }, size: 1024 * 1024 })
  })

  test('states the size of an upload that is too large, without its bytes', async () => {
    expect(await readFrom(buildUpload(1024 * 1024 + 1))).toMatchObject({
      size: 1024 * 1024 + 1,
      blocks: 0,
    })
  })

  test('is refused with 58 when the rest is too large, or an upload by far', async () => {
    const text = `<string>${'x'.repeat(70_000)}</string>`
    expect(await readFrom(buildXmlCall('x', buildXmlStruct({ a: text })))).toBe(58)
    expect(await readFrom(buildUpload(10, { a: text }))).toBe(58)
    expect(await readFrom(buildXmlCall('x', buildXmlStruct({ a: 'y'.repeat(10_000_000) })))).toBe(
      58,
    )
    expect(await readFrom(buildUpload(4 * 1024 * 1024))).toBe(58)
  })

  test('is refused with -32700 when it is not encoded in UTF-8', async () => {
    const bytes = new TextEncoder().encode(buildXmlCall('x', buildXmlStruct({ a: 'é' })))
    expect(await readFrom(bytes)).toMatchObject({ parameters: { a: 'é' } })
    expect(await readFrom(bytes.map((byte) => (byte === 0xc3 ? 0xff : byte)))).toBe(-32700)
    expect(await readFrom(bytes.slice(0, -1))).toBe(-32700)
  })
})
