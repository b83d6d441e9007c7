import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { operations } from '../../../../src/app.ts'
import * as rpcFaults from '../../../../src/edges/rpc/faults.ts'
import { type AnyFault, fault, nameTaken } from '../../../../src/platform/faults/fault.ts'
import {
  methodNotAllowed,
  noSuchPath,
  queryTooLong,
  rpcCallInvalid,
} from '../../../../src/platform/http/operations/faults.ts'
import {
  derivedFaults,
  faultsOf,
} from '../../../../src/platform/http/operations/operation-faults.ts'
import { flagTaken } from '../../../../src/tracker/flags/faults.ts'
import { expectDeclared } from '../../../support/client.ts'
import { buildProbe } from '../../../support/clients/service.ts'
import { faultKinds } from '../../../support/fault-kinds.ts'
import { code } from '../../../support/sources.ts'
import { ThrownFaults } from '../../../support/thrown-faults.ts'

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
      'serviceBusy',
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
      // those of paths that no operation serves
      ...[noSuchPath, methodNotAllowed, queryTooLong],
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

describe('what an operation throws is declared, in branches that no test enters as well', () => {
  /** What no call can lead to, although functions name each other. */
  const NEVER = [
    'DELETE /api_key/:id productDenied', // to revoke a key names no product
    'GET /field/bug/:field/values productDenied', // the product stands in the other path
    'GET /field/bug/:field/:product_id/values productMissing',
    'GET /valid_login tokenInvalid', // it is what the answer says
    'POST /field/bug/:field/values objectProtected', // the name of the empty choice is taken
  ]
  const thrownFaults = new ThrownFaults(code)
  const listed = operations.map((operation) => ({ operation, ...thrownFaults.listFor(operation) }))
  const thrown = [...Map.groupBy(listed, ({ declaration }) => declaration).values()].flatMap(
    (together) => {
      const declared = new Set(together.flatMap(({ operation }) => faultsOf(operation)))
      return together.flatMap(({ operation, folder, thrown }) =>
        thrown.map(({ name, path, trail }) => ({
          site: `${name} ${path}`,
          isOwn: path.startsWith(folder),
          isDeclared: [...declared].some((kind) => kind.name === name),
          what: `${operation.method} ${operation.path} ${name}`,
          trail,
        })),
      )
    },
  )
  const undeclared = thrown.filter(({ isDeclared }) => !isDeclared)

  function describeAll(found: typeof thrown): string[] {
    return found
      .filter(({ what }) => !NEVER.includes(what))
      .map(({ what, trail }) => `${what}: ${trail}`)
  }

  test('by itself where it stands in its own folder', () => {
    expect(describeAll(undeclared.filter(({ isOwn }) => isOwn))).toEqual([])
  })

  test('by one of those that lead there where it is shared', () => {
    const sites = new Set(thrown.filter(({ isDeclared }) => isDeclared).map(({ site }) => site))
    expect(describeAll(undeclared.filter(({ site }) => !sites.has(site)))).toEqual([])
  })

  test('and is found behind the functions of other files', () => {
    const read = `import { load } from './load.ts'\n\nexport const readOne = operation({ summary: 'Read one' }, load)`
    const load = 'export function load() {\n  return one ?? missing()\n}\n'
    const missing = 'function missing() {\n  throw fault(nameTaken, {})\n}'
    const files = { 'src/a/read.ts': read, 'src/a/load.ts': `${load}\n${missing}` }
    const { folder, thrown } = new ThrownFaults(files).listFor({ summary: 'Read one' })
    expect(folder).toBe('src/a/')
    expect(thrown.map(({ name, trail }) => `${name}: ${trail}`)).toEqual([
      'nameTaken: src/a/load.ts missing < src/a/load.ts load < src/a/read.ts readOne',
    ])
  })

  test('and nothing is excepted without need', () => {
    const found = undeclared.map(({ what }) => what)
    expect(NEVER.filter((what) => !found.includes(what))).toEqual([])
  })
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
