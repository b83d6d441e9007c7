import { describe, expect, test } from 'vitest'
import { fillBody, fillText, Mismatch, matchAnswer } from './answer.ts'

describe('matchAnswer', () => {
  test('captures a variable once and holds later ones against it', () => {
    const captured = matchAnswer({ id: '$ID', again: '$ID' }, { id: 7, again: 7 }, {})
    expect(captured).toEqual({ ID: 7 })
    expect(matchAnswer('$ID', '7', captured)).toBe(captured)
    expect(() => matchAnswer('$ID', 8, captured)).toThrow(Mismatch)
    expect(matchAnswer({ $ID: ['Bug $ID is …'] }, { 7: ['Bug 7 is new'] }, captured)).toBe(captured)
  })

  test.each([
    ['a further member', { a: 1 }, { a: 1, b: 2 }],
    ['a missing member', { a: 1, '…': '…' }, { b: 2 }],
    ['another type', 1, '1'],
    ['a further item', [1], [1, 2]],
    ['a missing item', ['…', 3], [1, 2]],
    ['another text', 'a … c', 'a b'],
    ['an object for a list', [], {}],
    ['a list for an object', {}, []],
  ])('refuses %s', (_, promised, actual) => {
    expect(() => matchAnswer(promised, actual, {})).toThrow(Mismatch)
  })

  test.each([
    ['any value', '…', { a: [1] }],
    ['further members', { a: '…', '…': '…' }, { a: null, b: 2 }],
    ['further items', ['…', 2, '…'], [0, 1, 2, 3]],
    ['a part of a text', 'a … c', 'a b c'],
  ])('lets … stand for %s', (_, promised, actual) => {
    expect(matchAnswer(promised, actual, {})).toEqual({})
  })
})

describe('fillBody and fillText', () => {
  test('put in what was captured, numbers as numbers', () => {
    const variables = { ID: 7, NAME: 'x' }
    expect(fillBody({ ids: ['$ID'], $NAME: 'is $NAME', n: 1 }, variables)).toEqual({
      ids: [7],
      x: 'is x',
      n: 1,
    })
    expect(fillText('/bug/$ID?name=$NAME', variables)).toBe('/bug/7?name=x')
    expect(() => fillText('$OTHER', variables)).toThrow('nothing has captured $OTHER')
  })
})
