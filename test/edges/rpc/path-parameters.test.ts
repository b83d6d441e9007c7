import { describe, expect, test } from 'vitest'
import {
  putFirstInPath,
  putFirstReferenceInPath,
  renameTo,
} from '../../../src/edges/rpc/path-parameters.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

describe('the parameters of a path', () => {
  test.each([
    [[1, 'b', 3], '1', ['b', 3]],
    ['a', 'a', []],
    [[null, 2], '2', []],
  ])('take the first item of the list %j', (ids, first, others) => {
    expect(putFirstInPath('ids', 'path')({ ids, x: 1 })).toEqual({ ids: others, path: first, x: 1 })
  })

  test('are refused with 50 when the list is missing or empty', () => {
    for (const given of [{}, { ids: [] }, { ids: null }]) {
      expect(catchFaultCode(() => putFirstInPath('ids', 'path')(given))).toBe(50)
      expect(catchFaultCode(() => putFirstReferenceInPath(given))).toBe(50)
    }
  })

  test('take an ID before a name', () => {
    expect(putFirstReferenceInPath({ ids: [4], names: ['x'] })).toEqual({
      id_or_name: '4',
      ids: [],
      names: ['x'],
    })
    expect(putFirstReferenceInPath({ names: ['x', 'y'] })).toEqual({
      id_or_name: 'x',
      names: ['y'],
    })
  })

  test('refuse a name of digits with 53, because it would be read as an ID', () => {
    expect(catchFaultCode(() => putFirstReferenceInPath({ names: [' 12 '] }))).toBe(53)
    expect(catchFaultCode(() => putFirstReferenceInPath({ names: [12] }))).toBe(53)
  })

  test('may be an object with any members, which the operation refuses', () => {
    const object = { toString: 1 }
    expect(putFirstReferenceInPath({ names: [object] }).id_or_name).toBe(object)
  })

  test('have another name than in the call', () => {
    expect(renameTo('path', 'id')({ id: 5, x: 1 })).toEqual({ path: '5', x: 1 })
    expect(catchFaultCode(() => renameTo('path', 'id')({ id: '' }))).toBe(50)
  })
})
