import { expect, it, vi } from 'vitest'
import { leniently } from '../../src/bugs/leniently.ts'

const WHERE = { bugId: 7, field: 'status' }

it('what can be shown is shown', () => {
  expect(leniently(WHERE, () => ['x'])).toEqual(['x'])
})

it('what cannot be shown is left out, and the log says where it is but not what', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})

  expect(leniently(WHERE, () => JSON.parse('{secret'))).toBeUndefined()
  expect(written).toHaveBeenCalledOnce()
  const [line = ''] = written.mock.calls[0] ?? []
  expect(JSON.parse(line)).toMatchObject({ event: 'a field cannot be shown', ...WHERE })
  expect(line).not.toContain('secret')
  written.mockRestore()
})
