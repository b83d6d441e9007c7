import { describe, expect, test } from 'vitest'
import { readBody } from '../../../../src/platform/http/request/body-chunks.ts'
import { cutOversized } from '../../../../src/platform/http/request/oversized.ts'
import { parseInTurn } from '../../../../src/platform/http/request/parse-turns.ts'
import { ANYONE } from '../../../support/client.ts'
import { callJson } from '../../../support/clients/rpc.ts'

const nameMany = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))
const listMany = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('cutOversized', () => {
  test('leaves what a request may have as it is', () => {
    const parameters = { ...nameMany(4998), ids: listMany(5000), cc: { add: listMany(5000) } }
    expect(cutOversized(structuredClone(parameters))).toEqual(parameters)
  })

  test('leaves one parameter too many of very many, the first ones', () => {
    expect(cutOversized(nameMany(60_000))).toEqual(nameMany(5001))
  })

  test('leaves one item too many of lists and of lists in edits', () => {
    expect(cutOversized({ ids: listMany(9000), cc: { add: listMany(9000) } })).toEqual({
      ids: listMany(5001),
      cc: { add: listMany(5001) },
    })
  })

  test('keeps a parameter named __proto__ its own', () => {
    const sent = JSON.parse(`{"__proto__":1,${JSON.stringify(nameMany(6000)).slice(1)}`)
    expect(Object.keys(cutOversized(sent))[0]).toBe('__proto__')
  })
})

test('a long body is taken piece by piece, the next when one is parsed', async () => {
  const body = new Uint8Array(300_000)
  let [parsing, most, size] = [0, 0, 0]
  const take = async (bytes: Uint8Array) => {
    parsing += 1
    most = Math.max(most, parsing)
    size += bytes.length
    await scheduler.wait(2)
    parsing -= 1
  }
  const request = new Request('https://tracker.test', { method: 'POST', body })
  await readBody(request, 1000, take, () => {})
  expect({ most, size, parsing }).toEqual({ most: 1, size: 300_000, parsing: 0 })
})

describe('parseInTurn', () => {
  test('parses long texts one at a time', async () => {
    let [running, most] = [0, 0]
    const parse = async () => {
      running += 1
      most = Math.max(most, running)
      await scheduler.wait(2)
      running -= 1
    }
    await Promise.all(listMany(5).map(() => parseInTurn('a', 5_000, parse)))
    expect(most).toBe(1)
    await Promise.all(listMany(5).map(() => parseInTurn('a', 1000, parse)))
    expect(most).toBe(5)
  })

  test('parses one of each network before the others of a network that sends many', async () => {
    const parsed: string[] = []
    const parse = (network: string) =>
      parseInTurn(network, 5_000, async () => {
        parsed.push(network)
        await scheduler.wait(2)
      })
    await Promise.all(['a', 'a', 'a', 'a', 'b'].map(parse))
    expect(parsed).toEqual(['a', 'b', 'a', 'a', 'a'])
  })
})

test('a call with very many parameters is refused for the first that is too many', async () => {
  const answer = await callJson(ANYONE, 'Bug.search', nameMany(60_000))
  expect(JSON.stringify(answer)).toContain("'k5000' is one too many")
})
