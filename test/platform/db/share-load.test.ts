import { describe, expect, test } from 'vitest'
import { shareLoad } from '../../../src/platform/db/share-load.ts'

describe('what rows share', () => {
  test('is loaded once for all of them', async () => {
    const loads: (readonly number[])[] = []
    const loaded = shareLoad([1, 2], async (rows) => loads.push(rows))
    expect([await loaded(1), await loaded(2)]).toEqual([1, 1])
    expect(loads).toEqual([[1, 2]])
  })

  test('is loaded for each by itself, one after the other, where that fails', async () => {
    let running = 0
    const loaded = shareLoad([1, 2, 3], async (rows) => {
      expect(running).toBe(0)
      running += 1
      await new Promise((wake) => setTimeout(wake, 1))
      running -= 1
      if (rows.includes(2)) {
        throw new Error(`not ${rows}`)
      }
      return rows
    })
    expect(await Promise.allSettled([1, 2, 3].map(loaded))).toMatchObject([
      { value: [1] },
      { reason: { message: 'not 2' } },
      { value: [3] },
    ])
  })

  test('is not loaded twice for one row, and not at all for none', async () => {
    let loads = 0
    const fail = async () => {
      loads += 1
      throw new Error('no')
    }
    await expect(shareLoad([1], fail)(1)).rejects.toThrow('no')
    shareLoad([], fail)
    expect(loads).toBe(1)
  })
})
