import { describe, expect, test } from 'vitest'
import { findCredentials } from '../../../../src/platform/http/request/credentials.ts'
import { fetchDocument } from '../../../support/clients/api-document.ts'

const NONE = { login: undefined, password: undefined, token: undefined, key: undefined }

async function fetchSchemes() {
  return (await fetchDocument()).components.securitySchemes
}

describe('the security schemes', () => {
  test('are forms of credentials that the service reads', async () => {
    for (const [name, scheme] of Object.entries(await fetchSchemes())) {
      if (name === 'signature') {
        continue
      }
      const headers = new Headers()
      const query: Record<string, string[]> = {}
      if (scheme.type === 'http') {
        headers.set('authorization', 'Bearer secret')
      } else if (scheme.in === 'header') {
        headers.set(scheme.name, 'secret')
      } else {
        query[scheme.name] = ['secret']
      }
      const { keyInHeader: _, ...found } = findCredentials(headers, query, {})
      const kind = name.replace('Parameter', '').replace('bearer', 'key')
      expect(found, name).toEqual({ ...NONE, [kind]: 'secret' })
    }
  })

  test('are optional where anonymous callers are served, and unknown where none counts', async () => {
    const { paths, security } = await fetchDocument()
    expect(security).toContainEqual({})
    expect(paths['/rest/bug']?.get?.security).toBeUndefined()
    expect(paths['/rest/openapi.json']?.get?.security).toEqual([])
    expect(paths['/rest/bug']?.post?.security).toEqual(security.slice(1))
    expect(paths['/rest/version']?.get?.security).toEqual([
      {},
      { login: [], password: [] },
      { loginParameter: [], passwordParameter: [] },
    ])
  })
})
