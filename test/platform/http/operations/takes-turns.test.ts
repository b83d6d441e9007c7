import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { anyone, operation } from '../../../../src/platform/http/operations/operation.ts'
import { findPossibleDuplicates } from '../../../../src/tracker/bugs/read/possible-duplicates.ts'
import { flagActivityOperations } from '../../../../src/tracker/flags/activity.ts'
import { listFlagRequests } from '../../../../src/tracker/flags/requests.ts'
import { listKeywords } from '../../../../src/tracker/keywords/list.ts'
import { getProductFigures } from '../../../../src/tracker/products/figures.ts'
import { buildWorkerCtx } from '../../../support/deliver-webhooks.ts'

describe('an operation that takes turns', () => {
  test('runs twice at a time, and the next when one has ended', async () => {
    let [running, most, ended] = [0, 0, 0]
    const long = operation(
      {
        method: 'GET',
        path: '/long',
        summary: 'Take a while',
        reference: 'server.md#version',
        input: z.object({}),
        output: z.strictObject({}),
        requires: anyone,
        scope: 'read',
        takesTurns: true,
      },
      async () => {
        running += 1
        most = Math.max(most, running)
        await scheduler.wait(5)
        running -= 1
        ended += 1
        return {}
      },
    )
    const ctx = buildWorkerCtx()
    await Promise.all(Array.from({ length: 8 }, () => long.run(ctx, {})))
    expect({ most, ended }).toEqual({ most: 2, ended: 8 })
  })

  test.each([
    ...[findPossibleDuplicates, listFlagRequests, listKeywords, getProductFigures],
    ...flagActivityOperations,
  ])('is $path, which reads thousands of rows', ({ takesTurns }) => {
    expect(takesTurns).toBe(true)
  })
})
