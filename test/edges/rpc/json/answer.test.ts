import { describe, expect, test } from 'vitest'
import { answerJson, answerJsonFault } from '../../../../src/edges/rpc/json/answer.ts'
import { fault } from '../../../../src/platform/faults/fault.ts'
import { componentMissing } from '../../../../src/tracker/bugs/model/faults.ts'

const RESULTS = [
  ['1.0', { result: [1], error: null, id: 'x' }],
  ['1.1', { version: '1.1', result: [1], error: null, id: 'x' }],
  ['2.0', { jsonrpc: '2.0', result: [1], id: 'x' }],
] as const

const ERROR = { code: 105, message: 'A component is required.' }
const FAULTS = [
  ['1.0', { result: null, error: ERROR, id: null }],
  ['1.1', { version: '1.1', error: { name: 'JSONRPCError', ...ERROR }, id: null }],
  ['2.0', { jsonrpc: '2.0', error: ERROR, id: null }],
] as const

describe('an answer in JSON', () => {
  test.each(RESULTS)('has the form of version %s', async (version, expected) => {
    const form = { version, id: 'x' }
    expect(await answerJson(form, [1]).json()).toEqual(expected)
    expect(await answerJson(form, new Response('[1]')).json()).toEqual(expected)
  })

  test.each(FAULTS)('to a refused call has the form of version %s', async (version, expected) => {
    const answer = answerJsonFault({ version, id: null }, fault(componentMissing))
    expect(answer.status).toBe(200)
    const { message } = fault(componentMissing)
    expect(await answer.json()).toEqual(
      JSON.parse(JSON.stringify(expected).replace(ERROR.message, message)),
    )
  })
})
