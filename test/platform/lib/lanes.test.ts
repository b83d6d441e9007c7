import { describe, expect, test } from 'vitest'
import { createLanes } from '../../../src/platform/lib/lanes.ts'

/** Tasks that end by hand, and how many of them run. */
function createTasks() {
  const running = new Map<string, () => void>()
  return {
    running: () => [...running.keys()],
    task: (name: string) => () =>
      new Promise<string>((resolve) => {
        running.set(name, () => {
          running.delete(name)
          resolve(name)
        })
      }),
    end: async (name: string) => {
      running.get(name)?.()
      await settle()
    },
  }
}

/** Lets everything happen that waits for nothing outside. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('lanes', () => {
  test('run at most four tasks at once', async () => {
    const { task, running, end } = createTasks()
    const run = createLanes()
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => run(name, task(name)))
    await settle()
    expect(running()).toEqual(['a', 'b', 'c', 'd'])
    await end('c')
    expect(running()).toEqual(['a', 'b', 'd', 'e'])
    for (const name of ['a', 'b', 'd', 'e']) {
      await end(name)
    }
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('run the tasks of one lane one after the other, past those that wait for it', async () => {
    const { task, running, end } = createTasks()
    const run = createLanes()
    const all = ['a1', 'a2', 'a3', 'b1'].map((name) => run(name.charAt(0), task(name)))
    await settle()
    expect(running()).toEqual(['a1', 'b1'])
    await end('a1')
    expect(running()).toEqual(['b1', 'a2'])
    await end('a2')
    await end('a3')
    await end('b1')
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1'])
  })

  test('go on after a task that throws', async () => {
    const run = createLanes(1)
    const failed = run('a', () => Promise.reject(new Error('no')))
    await expect(failed).rejects.toThrow('no')
    expect(await run('a', async () => 1)).toBe(1)
    expect(await run('b', async () => 2)).toBe(2)
  })
})
