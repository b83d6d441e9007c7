import { describe, expect, test } from 'vitest'
import { getConfiguration } from '../../../../src/edges/server/configuration.ts'
import type { Ctx } from '../../../../src/platform/context.ts'
import type { Operation } from '../../../../src/platform/http/operations/operation.ts'
import { inReadTurn, inScanTurn } from '../../../../src/platform/http/operations/read-turns.ts'
import { findPossibleDuplicates } from '../../../../src/tracker/bugs/read/possible-duplicates.ts'
import { getFields } from '../../../../src/tracker/fields/get.ts'
import { flagActivityOperations } from '../../../../src/tracker/flags/activity.ts'
import { listFlagRequests } from '../../../../src/tracker/flags/requests.ts'
import { listFlagTypes } from '../../../../src/tracker/flags/types/list.ts'
import { listKeywords } from '../../../../src/tracker/keywords/list.ts'
import { getProductFigures } from '../../../../src/tracker/products/figures.ts'
import { getProducts } from '../../../../src/tracker/products/get.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { buildWorkerCtx } from '../../../support/deliver-webhooks.ts'

type Verb = Pick<Operation, 'run' | 'path'>

describe('verbs that read thousands of rows', () => {
  test('run two at a time, and the next when one has ended', async () => {
    let [running, most, ended] = [0, 0, 0]
    const long = inReadTurn(async (_: Ctx) => {
      running += 1
      most = Math.max(most, running)
      await scheduler.wait(5)
      running -= 1
      ended += 1
    })
    const ctx = buildWorkerCtx()
    await Promise.all(Array.from({ length: 8 }, () => long(ctx, {})))
    expect({ most, ended }).toEqual({ most: 2, ended: 8 })
  })

  test.each([
    ...[findPossibleDuplicates, listFlagRequests, listKeywords, getProductFigures, listFlagTypes],
    ...flagActivityOperations,
  ])('are those of $path', async (operation) => {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const held = inReadTurn(() => end)
    const others = [1, 2].map(() => held(buildWorkerCtx(), {}))
    await expectToWait(operation, () => {
      resolve()
      return Promise.all(others)
    })
  })

  test.each([getProducts, getFields, getConfiguration])(
    'of $path, which answers megabytes, run one at a time',
    async (operation) => {
      const { promise: end, resolve } = Promise.withResolvers<void>()
      const other = inScanTurn(() => end)(buildWorkerCtx(), {})
      await expectToWait(operation, () => {
        resolve()
        return other
      })
    },
  )

  async function expectToWait({ run, path }: Verb, endOthers: () => Promise<unknown>) {
    const ctx = buildWorkerCtx()
    const { name } = await insertProduct()
    const named = path === getFields.path ? 'component' : name
    const input = { id_or_name: named, summary: 'window', flag_id: '1', type_id: '1', login: 'x' }
    const answer = run(ctx, { ...input, type_name: 'x' } as never).catch(() => {})
    await scheduler.wait(20)
    expect(ctx.session.cost.trips).toBe(0)
    await Promise.all([endOthers(), answer])
    expect(ctx.session.cost.trips).toBe(1)
  }

  test.each([
    ['the parts of a product', getProducts, { ids: ['1'], include_fields: ['components.name'] }],
    ['the names of products', getProducts, { include_fields: ['id', 'name'] }],
    ['fields without their values', getFields, { exclude_fields: ['values'] }],
    ['values that no product has', getFields, { names: ['severity'] }],
    ['the flag types of a component', listFlagTypes, { id_or_name: 'x', component: 'y' }],
  ] as const)('are not those of %s', async (_, { run }, input) => {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const held = [inReadTurn(() => end), inReadTurn(() => end), inScanTurn(() => end)]
    const others = held.map((hold) => hold(buildWorkerCtx(), {}))
    const ctx = buildWorkerCtx()
    await run(ctx, input as never).catch(() => {})
    expect(ctx.session.cost.trips).toBe(1)
    resolve()
    await Promise.all(others)
  })
})
