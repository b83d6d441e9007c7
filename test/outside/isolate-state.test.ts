import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSection } from '../reference/page.ts'
import { findIsolateState } from '../support/isolate-state.ts'

const files = Object.fromEntries(
  globSync('src/**/*.{ts,tsx}').map((path) => [path, readFileSync(path, 'utf8')]),
)

describe('from one request to the next', () => {
  test('an isolate keeps what lib/isolate.ts and lib/turns.ts made, and nothing else', () => {
    expect(Object.keys(files)).toContain('src/app.ts')
    expect(findIsolateState(files)).toEqual([])
  })

  test('it keeps values by text where ARCHITECTURE.md says why they are true', () => {
    const section = readSection(readFileSync('ARCHITECTURE.md', 'utf8'), 'what-an-isolate-caches')
    const listed = section.matchAll(/^\|[^|]+\| `([^`]+\.ts)`/gm)
    const kept = Object.keys(files).filter((path) =>
      /^(?:export )?const \w+ = new RecentValues|^ {2}const \w+ = new RecentValues/m.test(
        files[path] ?? '',
      ),
    )
    expect(kept.sort()).toEqual([...listed].map(([, path]) => path).sort())
  })
})

describe('state that outlives a request is found', () => {
  test.each([
    ['a variable', 'let loading: Promise<void> | undefined'],
    ['a map that the module fills', 'const x = new Map()\nfunction f() {\n  x.set(1, 2)\n}'],
    ['a list that grows', 'export const x: string[] = []\nfunction f() {\n  x.push("a")\n}'],
    ['an object that is changed', 'const x = { at: 0 }\nfunction f() {\n  x.at += 1\n}'],
    ['a member by key', 'const x = {}\nfunction f(key) {\n  x[key] ??= 1\n}'],
    ['a static member', 'class A {\n  static #x = new Map()\n  f() {\n    A.#x.set(1, 2)\n  }\n}'],
    [
      'an object that changes itself',
      'class A {\n  #n = 0\n  f() {\n    this.#n += 1\n  }\n}\nconst x = new A()',
    ],
    [
      'an object that holds one that does',
      'class A {\n  n = 0\n  f() {\n    this.n++\n  }\n}\nclass B {\n  a = new A()\n}\nconst x = new B()',
    ],
    [
      'a closure that keeps rows of the database',
      `function createLoader() {
  let rows: Row[] | undefined
  return async (ctx: Ctx) => {
    rows ??= (await readBatch(ctx, { rows: select() })).rows
    return rows
  }
}
export const loadUsers = createLoader()`,
    ],
    [
      'a closure in the result of another function',
      `const remember = () => {
  const rows = new Map()
  return (id) => rows.set(id, 1)
}
function createReader() {
  const keep = remember()
  return { read: (id) => keep(id) }
}
export const reader = createReader()`,
    ],
  ])('%s', (_, text) => {
    expect(findIsolateState({ 'src/a.ts': text })).toHaveLength(1)
  })

  test('across files', () => {
    const maker =
      'export function make() {\n  let n = 0\n  return () => {\n    n += 1\n    return n\n  }\n}'
    expect(findIsolateState({ 'src/a.ts': maker, 'src/b.ts': 'const count = make()' })).toEqual([
      'src/b.ts: count',
    ])
  })

  test.each([
    ['constants', 'const x = new Set(["a"])\nfunction f() {\n  return x.has("a")\n}'],
    [
      'the variables of a call',
      'function f() {\n  let at = 0\n  at += 1\n  return at\n}\nconst x = f()',
    ],
    [
      'what a call makes',
      'class A {\n  n = 0\n  f() {\n    this.n++\n  }\n}\nconst f = () => new A()',
    ],
    [
      'a helper that ends with its call',
      'class A {\n  n = 0\n  f() {\n    this.n++\n  }\n}\nfunction f() {\n  const a = new A()\n  return a.n\n}\nconst x = f()',
    ],
  ])('but %s are not', (_, text) => {
    expect(findIsolateState({ 'src/a.ts': text })).toEqual([])
  })
})
