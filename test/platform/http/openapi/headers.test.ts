import { describe, expect, test } from 'vitest'
import { type Described, fetchDocument } from '../../../support/clients/api-document.ts'

describe('the headers in the description of the API', () => {
  test('has the headers that an operation reads', async () => {
    const { paths } = await fetchDocument()
    const namesOf = (item: Described | undefined) =>
      item?.parameters.flatMap((one) => ('$ref' in one ? [one.$ref.replace(/.*\//, '')] : []))
    for (const item of Object.values(paths)) {
      expect(item.post === undefined || namesOf(item.post)?.includes('IdempotencyKey')).toBe(true)
      expect(item.get === undefined || namesOf(item.get)?.includes('IfNoneMatch')).toBe(true)
    }
    const conditional = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, one]) =>
        namesOf(one)?.includes('IfMatch') ? [`${method} ${path}`] : [],
      ),
    )
    expect(conditional).toEqual(['put /rest/bug/{id_or_alias}'])
  })

  test('has the headers of answers: pages, tags, limits and when to come again', async () => {
    const { paths } = await fetchDocument()
    const { responses } = paths['/rest/bug']?.get ?? {}
    expect(Object.keys(responses?.['200']?.headers ?? {})).toEqual(
      expect.arrayContaining(['ETag', 'Link', 'X-Total-Count', 'RateLimit', 'RateLimit-Policy']),
    )
    expect(Object.keys(responses?.['429']?.headers ?? {})).toContain('Retry-After')
    expect(Object.keys(responses?.['404']?.headers ?? {})).not.toContain('Retry-After')
  })
})
