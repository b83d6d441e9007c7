import { describe, expect, test } from 'vitest'
import { parsePlaceName, requirePlace } from '../../../src/edges/webhooks/place.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const lamps = { productId: 3, product: 'Lamps', componentId: null, component: null }
const bulb = { ...lamps, componentId: 4, component: 'Bulb' }
const nowhere = { productId: null, product: null, componentId: null, component: null }

describe('the place of a webhook', () => {
  test.each([
    [null, null],
    [' ', null],
    ['ANY', null],
    [' Lamps ', 'Lamps'],
    ['Anything', 'Anything'],
  ])('%j is the name %j', (text, name) => {
    expect(parsePlaceName(text)).toBe(name)
  })

  test.each([
    [{ product: null, component: null }, undefined, nowhere],
    [{ product: 'lamps', component: null }, [lamps], lamps],
    [{ product: 'lamps', component: 'bulb' }, [bulb], bulb],
    [{ product: null, component: 'bulb' }, undefined, 50],
    [{ product: 'lamps', component: null }, [], 106],
    [{ product: 'lamps', component: 'bulb' }, [lamps], 51],
  ])('%j among %j is %j', (names, rows, place) => {
    expect(catchFaultCode(() => requirePlace(names, rows))).toEqual(place)
  })
})
