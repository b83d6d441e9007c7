import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { admission } from '../../../../src/platform/http/request/admission.ts'
import type { AppEnv } from '../../../../src/platform/http/request/app-env.ts'
import { onFault } from '../../../../src/platform/http/response/on-fault.ts'

test('beyond five hundred requests that wait, others are told to come back, until one is answered', async () => {
  const answers: (() => void)[] = []
  const service = new Hono<AppEnv>()
  service.onError(onFault)
  service.use(admission)
  service.get('/waiting', async (c) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return c.text('answered')
  })
  service.get('/failing', () => Promise.reject(new Error('wrong')))
  service.get('/other', (c) => c.text('answered'))

  const waiting = Array.from({ length: 499 }, () => service.request('/waiting'))
  expect((await service.request('/failing')).status).toBe(500)
  expect((await service.request('/other')).status).toBe(200)
  waiting.push(service.request('/waiting'))
  const refused = await service.request('/other')
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ error: true, code: 32000 })

  answers.pop()?.()
  await waiting.pop()
  expect((await service.request('/other')).status).toBe(200)
  for (const answer of answers) {
    answer()
  }
  expect((await Promise.all(waiting)).every(({ status }) => status === 200)).toBe(true)
})
