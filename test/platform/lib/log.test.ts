import { describe, expect, test, vi } from 'vitest'
import { fault, nameTaken } from '../../../src/platform/faults/fault.ts'
import { errorFacts, log } from '../../../src/platform/lib/log.ts'
import { code, operation } from '../../support/sources.ts'

test('log writes one JSON object with its level and event', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  log('warn', 'work rescheduled', { notice: 7, code: undefined })
  expect(JSON.parse(String(warn.mock.calls[0]?.[0]))).toEqual({
    level: 'warn',
    event: 'work rescheduled',
    notice: 7,
  })
})

describe('errorFacts', () => {
  test.each([
    ['an error of D1', new Error('D1_ERROR: no such table: x'), 'D1_ERROR: no such table: x'],
    [
      'an unbindable value',
      new Error("Type 'object' not supported for value 'tulip'"),
      "Type 'object' not supported",
    ],
    ['malformed JSON', new SyntaxError('Unexpected token, "tulip" is not valid JSON'), ''],
    ['a thrown text', 'tulip', 'not an error'],
    ['a fault', fault(nameTaken, { kind: 'webhook', name: 'tulip' }), 'nameTaken'],
    [
      'a missing property',
      new TypeError("Cannot use 'in' operator to search for 'a' in tulip"),
      'Cannot use',
    ],
    ['a value of a wrong form', new TypeError('Invalid URL: tulip'), 'Invalid URL'],
    ['a value out of range', new RangeError('Invalid time value'), 'Invalid time value'],
  ])('describes %s without the values that it quotes', (_, error, message) => {
    const facts = errorFacts(error)
    expect(facts.message).toBe(message)
    expect(JSON.stringify(facts)).not.toContain('tulip')
  })

  test('returns at most eight stack frames and no line of the message', () => {
    const error = new Error('first\n    at tulip')
    const { frames } = errorFacts(error)
    expect(frames.length).toBeGreaterThan(0)
    expect(frames.length).toBeLessThanOrEqual(8)
    expect(frames.join()).not.toContain('tulip')
  })
})

type Entry = { events: string[]; levels: string[]; facts: string[] }

/** The calls of `log`: the words of the first two arguments, and the members that the third one names. */
function findEntries(text: string): Entry[] {
  return [
    ...text.matchAll(
      /\blog\(([^,]+?),\s*([^,]+?)(?:,\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*|,[^{}]+?)?,?\s*\)/g,
    ),
  ].map(([, level = '', event = '', facts = '']) => ({
    events: quotedWords(event),
    levels: quotedWords(level),
    facts: [...facts.matchAll(/(?:^|,)\s*(\w+)(?=\s*(?:[:,]|$))/g)].map(([, name = '']) => name),
  }))
}

function quotedWords(text: string): string[] {
  return [...text.matchAll(/'([^']+)'/g)].map(([, word = '']) => word)
}

describe('the log that operators read about', () => {
  const entries = Object.values(code).flatMap(findEntries)
  // what the local server alone prints stands below, and is logged by scripts
  const [ofWorker = ''] = operation.split('`npm start` prints the same lines')
  const rows = [...ofWorker.matchAll(/^\| `([^`|]+)` \| ([a-z, ]+) \| ([^|]*) \|/gm)]
  const documented = new Map(
    rows.map(([, event = '', levels = '', facts = '']) => [
      event,
      {
        levels: levels.split(', '),
        facts: [...facts.matchAll(/`(\w+)`/g)].map(([, fact]) => fact),
      },
    ]),
  )

  test('finds every call of log', () => {
    const calls = Object.values(code).flatMap((text) => [...text.matchAll(/\blog\((?=\s*[^)\s])/g)])
    // one of them is its declaration
    expect(entries).toHaveLength(calls.length - 1)
    expect(entries.every(({ events, levels }) => events.length > 0 && levels.length > 0)).toBe(true)
  })

  test('has exactly the events that the code logs, with their levels', () => {
    const logged = new Map<string, Set<string>>()
    for (const { events, levels } of entries) {
      for (const event of events) {
        logged.set(event, new Set([...(logged.get(event) ?? []), ...levels]))
      }
    }
    const inCode = [...logged].map(([event, levels]) => `${event}: ${[...levels].sort()}`)
    const inText = [...documented].map(([event, { levels }]) => `${event}: ${levels.sort()}`)
    expect(inText.sort()).toEqual(inCode.sort())
  })

  test('has every fact that the code names with an event', () => {
    const missing = entries.flatMap(({ events, facts }) =>
      events.flatMap((event) =>
        facts
          .filter((fact) => !documented.get(event)?.facts.includes(fact))
          .map((fact) => `${event}: ${fact}`),
      ),
    )
    expect(missing).toEqual([])
  })
})
