import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { systemCtx } from '../../src/platform/background.ts'

describe('systemCtx', () => {
  test('acts as the system and reads at the primary', () => {
    const ctx = systemCtx(env, createExecutionContext())
    expect(ctx.caller).toEqual({ kind: 'system' })
    expect(ctx.session.readsPrimary).toBe(true)
  })

  test('keeps the invocation alive for later work and logs its failure without throwing', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const executionContext = createExecutionContext()
    const ctx = systemCtx(env, executionContext)
    const finished: string[] = []

    ctx.defer(() => Promise.reject(new Error('no')))
    ctx.defer(async () => {
      await new Promise((wake) => setTimeout(wake, 5))
      finished.push('second')
    })
    await waitOnExecutionContext(executionContext)

    expect(finished).toEqual(['second'])
    expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({
      event: 'deferred work failed',
    })
  })
})
