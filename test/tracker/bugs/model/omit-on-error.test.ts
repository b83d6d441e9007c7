import { expect, test, vi } from 'vitest'
import { omitOnError } from '../../../../src/tracker/bugs/model/omit-on-error.ts'

const WHERE = { bugId: 7, field: 'status' }

test('omitOnError returns the value', () => {
  expect(omitOnError(WHERE, () => ['x'])).toEqual(['x'])
})

test('omitOnError omits a value that throws, and logs its place, not its content', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})

  expect(omitOnError(WHERE, () => JSON.parse('{secret'))).toBeUndefined()
  expect(written).toHaveBeenCalledOnce()
  const [line = ''] = written.mock.calls[0] ?? []
  expect(JSON.parse(line)).toMatchObject({ event: 'a field cannot be shown', ...WHERE })
  expect(line).not.toContain('secret')
  written.mockRestore()
})
