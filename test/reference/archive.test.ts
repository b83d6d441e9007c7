import { expect, test } from 'vitest'
import { leftOutRows, partRows } from '../../scripts/archive-rows.ts'
import { pages } from './pages.ts'

test('archive.md lists the parts with their members, and what is left out', () => {
  const page = pages['archive.md'] ?? ''
  expect(page).toContain(`| part | lines | members |\n|---|---|---|\n${partRows()}\n`)
  expect(page).toContain(`| left out | why |\n|---|---|\n${leftOutRows()}\n`)
})
