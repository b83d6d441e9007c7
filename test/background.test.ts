import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { systemCtx } from '../src/background.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('work that nobody asked for acts as the service itself and reads at the primary', () => {
  const ctx = systemCtx(env, createExecutionContext())
  expect(ctx.caller).toEqual({ kind: 'system' })
  expect(ctx.session.readsPrimary).toBe(true)
})

test('what is left for later is waited for, and its failure is logged and no more', async () => {
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const executionContext = createExecutionContext()
  const ctx = systemCtx(env, executionContext)
  const done: string[] = []

  ctx.later(() => Promise.reject(new Error('no')))
  ctx.later(async () => {
    await new Promise((wake) => setTimeout(wake, 5))
    done.push('second')
  })
  await waitOnExecutionContext(executionContext)

  expect(done).toEqual(['second'])
  expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({ event: 'later work failed' })
})
