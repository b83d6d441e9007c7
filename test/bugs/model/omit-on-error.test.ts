import { expect, test, vi } from 'vitest'
import { omitOnError } from '../../../src/bugs/model/omit-on-error.ts'

const WHERE = { bugId: 7, field: 'status' }

test('what can be shown is shown', () => {
  expect(omitOnError(WHERE, () => ['x'])).toEqual(['x'])
})

test('what cannot be shown is left out, and the log says where it is but not what', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})

  expect(omitOnError(WHERE, () => JSON.parse('{secret'))).toBeUndefined()
  expect(written).toHaveBeenCalledOnce()
  const [line = ''] = written.mock.calls[0] ?? []
  expect(JSON.parse(line)).toMatchObject({ event: 'a field cannot be shown', ...WHERE })
  expect(line).not.toContain('secret')
  written.mockRestore()
})
