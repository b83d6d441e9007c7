import { Context } from 'hono'
import { describe, expect, test } from 'vitest'
import type { AppEnv } from '../../../../src/platform/http/request/app-env.ts'
import { readUploadBody } from '../../../../src/platform/http/request/upload-body.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'
import { streamPieces } from '../../../support/clients/service.ts'

const ENV = { MAX_BODY_KB: '1', MAX_ATTACHMENT_KB: '3' } as Env

function request(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request('https://tracker.test/', { method: 'POST', body, headers })
}

const read = async (body: BodyInit | null, headers?: Record<string, string>) => {
  const c = new Context<AppEnv>(request(body, headers), { env: ENV })
  const { text, upload } = await readUploadBody(c, 'data', true).finally(() =>
    c.get('uploadMemory')?.release(),
  )
  return {
    text,
    size: upload?.size,
    kept: upload?.blocks.reduce((sum, one) => sum + one.length, 0),
  }
}

const base64 = (bytes: number) => btoa('x'.repeat(bytes))

describe('a body with an upload', () => {
  test('is decoded while it arrives', async () => {
    const pieces = ['{"da', 'ta":"aG', 'k=","a', '":1}'].map((one) => new TextEncoder().encode(one))
    expect(await read(streamPieces(pieces))).toEqual({
      text: '{"data":"","a":1}',
      size: 2,
      kept: 2,
    })
  })

  test('may lack the upload', async () => {
    expect(await read(null)).toEqual({ text: '', size: undefined, kept: undefined })
  })

  test.each([
    [3072, 3072],
    [3073, 0],
    [6000, 0],
  ])('of %i bytes keeps %i', async (size, kept) => {
    expect(await read(`{"data":"${base64(size)}"}`)).toMatchObject({ size, kept })
  })
})

describe('a body is rejected with 58', () => {
  const refusal = async (...given: Parameters<typeof read>) => {
    const error: unknown = await read(...given).catch((thrown: unknown) => thrown)
    return catchFaultCode(() => {
      throw error
    })
  }

  test('when the rest without the upload is over the limit of all bodies', async () => {
    expect(await refusal(`{"a":"${'x'.repeat(1024)}"}`)).toBe(58)
  })

  test('when the upload is over twice its limit', async () => {
    expect(await refusal(`{"data":"${base64(7500)}"}`)).toBe(58)
  })

  test('for its announced length before it is read', async () => {
    expect(await refusal('{}', { 'content-length': '1000000' })).toBe(58)
  })
})
