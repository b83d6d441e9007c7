import { expect, test } from 'vitest'
import { errorRows } from '../../scripts/error-rows.ts'
import { faultKinds } from '../support/fault-kinds.ts'
import { pages } from './pages.ts'

test('errors.md lists every fault with its number, status, name and sentence', () => {
  const page = pages['errors.md'] ?? ''
  expect(faultKinds.length).toBeGreaterThan(150)
  expect(page.slice(page.indexOf('| number | status | fault |'))).toContain(errorRows(faultKinds))
})
