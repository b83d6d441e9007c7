import { expect, test } from 'vitest'
import { describeBasePath } from '../../scripts/base-path.ts'

test.each(['', 'https://bugs.example.org', 'https://bugs.example.org:8443'])(
  'nothing is said of the address %j, which has no path',
  (address) => {
    expect(describeBasePath(address)).toBeNull()
  },
)

test('an operator hears that no page works below a path', () => {
  const said = describeBasePath('https://example.org/bugs')
  expect(said).toContain('BASE_URL has the path /bugs')
  expect(said).toContain('only the API')
})
