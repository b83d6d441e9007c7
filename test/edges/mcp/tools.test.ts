import { describe, expect, test } from 'vitest'
import { operations } from '../../../src/app.ts'
import { describeTool, TOOLS } from '../../../src/edges/mcp/tools.ts'
import { indexOperations } from '../../../src/platform/http/operations/operations-by-name.ts'
import { pages } from '../../reference/pages.ts'

const byName = indexOperations(operations)

/** Tools whose arguments are turned into other parameters. */
const RENAMED = ['bug', 'product', 'field', 'fields', 'match', 'query', 'custom_fields', 'text']
const PAGES = ['limit', 'offset', 'position', 'newest_first', 'text_length', 'comment_is_private']

describe('the tools', () => {
  test.each(TOOLS)('$name stands in the reference and is served by an operation', (tool) => {
    expect(byName.has(tool.operation)).toBe(true)
    expect(pages['mcp.md']).toContain(`\n| \`${tool.name}\` |`)
    expect(tool.operation.startsWith('GET ')).toBe(tool.effect === 'read')
    expect(tool.operation.startsWith('PUT ')).toBe(tool.effect === 'change')
  })

  test.each(TOOLS)('$name takes what its operation takes, and nothing that is ignored', (tool) => {
    const { input, catchallNames = [] } = byName.get(tool.operation) ?? {}
    const taken = [...Object.keys(input?.shape ?? {}), ...catchallNames, ...RENAMED, ...PAGES]
    const unknown = Object.keys(tool.takes).filter((name) => !taken.includes(name))
    expect(unknown).toEqual([])
    expect(tool.required?.filter((name) => !(name in tool.takes)) ?? []).toEqual([])
  })

  test('are few, have names of their own, and descriptions of a length that a model reads', () => {
    const names = TOOLS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(JSON.stringify(TOOLS.map(describeTool)).length).toBeLessThan(24_000)
    const without = TOOLS.flatMap(({ takes, name }) =>
      Object.entries(takes)
        .filter(([, { description }]) => !description)
        .map(() => name),
    )
    expect(without).toEqual([])
  })

  test('say which of them only read, which only add, and which change', () => {
    const hints = Object.fromEntries(
      TOOLS.map(describeTool).map(({ name, annotations }) => [name, annotations]),
    )
    expect(hints.search_bugs).toMatchObject({ readOnlyHint: true, idempotentHint: true })
    expect(hints.update_bug).toMatchObject({ destructiveHint: true, idempotentHint: false })
    expect(hints.add_comment).toMatchObject({ destructiveHint: false, idempotentHint: false })
  })
})
