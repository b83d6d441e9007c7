import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { systemCtx } from '../../../src/platform/background.ts'
import { runInScanTurn } from '../../../src/tracker/search/bounds.ts'

const ctx = systemCtx(env, createExecutionContext())

test('parts of searches that read many rows run one after the other, and answer what they found', async () => {
  let running = 0
  let most = 0
  const scan = async (found: number) => {
    running += 1
    most = Math.max(most, running)
    await scheduler.wait(5)
    running -= 1
    return found
  }
  const found = await Promise.all([1, 2, 3].map((n) => runInScanTurn(ctx, () => scan(n))))
  expect({ found, most }).toEqual({ found: [1, 2, 3], most: 1 })
})
