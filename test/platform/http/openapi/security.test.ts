import { describe, expect, test } from 'vitest'
import { findCredentials } from '../../../../src/platform/http/request/credentials.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { ANYONE, get } from '../../../support/client.ts'
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

  test('all take one API key at once, as generated clients present it', async () => {
    const { security, components } = await fetchDocument()
    const { key, id } = await insertPerson()
    const headers: Record<string, string> = {}
    const query = new URLSearchParams()
    for (const name of security.flatMap((alternative) => Object.keys(alternative))) {
      const scheme = components.securitySchemes[name]
      if (scheme?.type === 'http') {
        headers.authorization = `Bearer ${key}`
      } else if (scheme?.in === 'header') {
        headers[scheme.name] = key
      } else if (scheme !== undefined) {
        query.set(scheme.name, key)
      }
    }
    const { status, body } = await get(ANYONE, `/rest/whoami?${query}`, headers)
    expect({ status, id: body.id }, JSON.stringify(body)).toEqual({ status: 200, id })
  })

  test('are optional where anonymous callers are served, and unknown where none counts', async () => {
    const { paths, security } = await fetchDocument()
    expect(security).toContainEqual({})
    expect(paths['/rest/bug']?.get?.security).toBeUndefined()
    expect(paths['/rest/openapi.json']?.get?.security).toEqual([])
    expect(paths['/rest/bug']?.post?.security).toEqual(security.slice(1))
    expect(paths['/rest/version']?.get?.security).toEqual([])
  })
})
