import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { operations } from '../../../../src/app.ts'
import * as rpcFaults from '../../../../src/edges/rpc/faults.ts'
import { type AnyFault, fault, nameTaken } from '../../../../src/platform/faults/fault.ts'
import { rpcCallInvalid } from '../../../../src/platform/http/operations/faults.ts'
import {
  derivedFaults,
  faultsOf,
  SERVICE_FAULTS,
} from '../../../../src/platform/http/operations/operation-faults.ts'
import { flagTaken } from '../../../../src/tracker/flags/faults.ts'
import { expectDeclared } from '../../../support/client.ts'
import { buildProbe } from '../../../support/clients/service.ts'
import { faultKinds } from '../../../support/fault-kinds.ts'
import { code } from '../../../support/sources.ts'

const nothing = z.object({})

function faultsOfProbe(described: Parameters<typeof buildProbe>[0]) {
  return faultsOf(buildProbe(described, async () => ({}))).map(({ name }) => name)
}

describe('the faults of an operation', () => {
  test('are its declared ones and those that follow from its kind', () => {
    const all = faultsOfProbe({ faults: [nameTaken], input: nothing, credentials: 'ignored' })
    expect(all).toEqual([
      'badCallback',
      'throttled',
      'storageUnavailable',
      'unforeseen',
      'nameTaken',
    ])
  })

  test('include those of parameters where it takes any, also in its path', () => {
    const inPath = z.object({ id: z.string() })
    expect(faultsOfProbe({ input: nothing })).not.toContain('parameterMissing')
    expect(faultsOfProbe({})).toContain('parameterMissing')
    expect(faultsOfProbe({ path: '/probe/:id', input: inPath })).toContain('notAnInteger')
  })

  test('include those of bodies and writes unless it is a GET', () => {
    expect(faultsOfProbe({})).not.toContain('badJson')
    expect(faultsOfProbe({ method: 'PUT' })).toEqual(
      expect.arrayContaining(['badJson', 'bodyTooLarge', 'busy']),
    )
  })

  test('include those of the credentials that it accepts', () => {
    expect(faultsOfProbe({})).toEqual(
      expect.arrayContaining(['apiKeyInvalid', 'tokenInvalid', 'badLogin', 'loginRequired']),
    )
    expect(faultsOfProbe({ credentials: 'password' })).toContain('badLogin')
    expect(faultsOfProbe({ credentials: 'password' })).not.toContain('apiKeyInvalid')
    expect(faultsOfProbe({ credentials: 'ignored' })).not.toContain('badLogin')
  })
})

describe('the declared faults of all operations', () => {
  test('cover the catalogue together with the derived ones and those of other protocols', () => {
    const answered = new Set<AnyFault>([
      ...operations.flatMap(faultsOf),
      ...SERVICE_FAULTS,
      ...Object.values(rpcFaults),
      rpcCallInvalid,
    ])
    expect(faultKinds.filter((kind) => !answered.has(kind)).map(({ name }) => name)).toEqual([])
  })

  test('are declared once and repeat no derived fault', () => {
    const repeated = operations.flatMap((operation) => {
      const all = [...derivedFaults(operation), ...operation.faults]
      const twice = all.filter((name, place) => all.indexOf(name) !== place)
      return twice.map((name) => `${operation.method} ${operation.path} ${name.name}`)
    })
    expect(repeated).toEqual([])
  })
})

test('what the file of an operation throws is declared, in branches that no test enters as well', () => {
  const undeclared = Object.entries(code).flatMap(([path, text]) => {
    const own = operations.filter(({ summary }) => text.includes(`summary: '${summary}'`))
    const declared = new Set(own.flatMap(faultsOf).map(({ name }) => name))
    const thrown = [...text.matchAll(/\bfault\(\s*(\w+)/g)].map(([, name = '']) => name)
    return own.length === 0
      ? []
      : thrown.filter((name) => !declared.has(name)).map((name) => `${path}: ${name}`)
  })
  expect(undeclared).toEqual([])
})

describe('the test client', () => {
  const { code, message } = fault(nameTaken, { kind: 'keyword', name: 'taken' })
  const refusal = { error: true, code, message } as const

  test('accepts a declared fault', () => {
    expectDeclared(
      buildProbe({ faults: [nameTaken] }, async () => ({})),
      refusal,
    )
  })

  test('fails for an undeclared fault with the number of a declared one', () => {
    const operation = buildProbe({ method: 'PUT', faults: [flagTaken] }, async () => ({}))
    expect(() => expectDeclared(operation, refusal)).toThrow('PUT /probe declares nameTaken')
  })

  test('fails for an error that is not in the catalogue', () => {
    const other = { ...refusal, message: 'Nobody ever said this.' }
    expect(() =>
      expectDeclared(
        buildProbe({}, async () => ({})),
        other,
      ),
    ).toThrow('Nobody ever')
  })
})
