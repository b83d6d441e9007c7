import { describe, expect, test } from 'vitest'
import { Turns } from '../../../src/platform/load/turns.ts'

describe('turns', () => {
  test('run one after the other, in the order of their arrival', async () => {
    const turns = new Turns<number>(0)
    const order: string[] = []
    const all = [1, 2, 3].map((n) =>
      turns.run(n, async () => {
        order.push(`begin ${n}`)
        await scheduler.wait(20 / n)
        order.push(`end ${n}`)
      }),
    )
    expect(turns.listOwners()).toEqual([1, 2, 3])
    await Promise.all(all)
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
    expect(turns.listOwners()).toEqual([])
  })

  test('go round: whoever came with one piece waits for one of each who came with many', async () => {
    const turns = new Turns<string>(0)
    const order: string[] = []
    const come = (owner: string, piece: number) =>
      turns.run(owner, async () => {
        order.push(`${owner} ${piece}`)
      })
    const all = [1, 2, 3, 4].map((piece) => come('much', piece))
    all.push(come('little', 1), come('other', 1), come('little', 2))
    await Promise.all(all)
    expect(order).toEqual([
      ...['much 1', 'little 1', 'other 1', 'much 2', 'little 2', 'much 3', 'much 4'],
    ])
  })

  test('run as many at once as they are made for', async () => {
    const turns = new Turns<null>(0, 3)
    let running = 0
    const most: number[] = []
    const work = async () => {
      running += 1
      most.push(running)
      await scheduler.wait(5)
      running -= 1
    }
    await Promise.all(Array.from({ length: 7 }, () => turns.run(null, work)))
    expect(Math.max(...most)).toBe(3)
  })

  test.each([
    [50, {}],
    [0, { pauseMs: 50 }],
  ])('count as taken until the pause behind them has ended', async (usual, own) => {
    const turns = new Turns<string>(usual)
    await turns.run('first', async () => {}, own)
    expect(turns.listOwners()).toEqual(['first'])
    expect(await turns.run('second', async () => 'done')).toBe('done')
  })

  test('whose work fails do not keep others waiting', async () => {
    const turns = new Turns<null>(0)
    const failed = turns.run(null, () => Promise.reject(new Error('wrong')))
    await expect(failed).rejects.toThrow('wrong')
    const failing = () => {
      throw new Error('at once')
    }
    await expect(turns.run(null, failing)).rejects.toThrow('at once')
    await scheduler.wait(1)
    expect(turns.listOwners()).toEqual([])
    expect(await turns.run(null, async () => 'next')).toBe('next')
  })

  test('keep the order of arrival when the isolate is busy for longer than a second', async () => {
    const turns = new Turns<string>(1_000)
    const order: string[] = []
    const begin = (name: string) => turns.run(name, async () => order.push(name))
    const all = [begin('first'), begin('second')]
    await scheduler.wait(900)
    const busyUntil = Date.now() + 1_300
    while (Date.now() < busyUntil) {}
    all.push(begin('third'))
    await Promise.all(all)
    expect(order).toEqual(['first', 'second', 'third'])
  })
})
