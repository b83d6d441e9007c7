import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSection } from '../reference/page.ts'
import { findIsolateState } from '../support/isolate-state.ts'

const files = Object.fromEntries(
  globSync('src/**/*.{ts,tsx}').map((path) => [path, readFileSync(path, 'utf8')]),
)

describe('from one request to the next', () => {
  test('an isolate keeps what lib/isolate.ts and arrivals.ts, capacity.ts and turns.ts of load make, and nothing else', () => {
    expect(Object.keys(files)).toContain('src/app.ts')
    expect(findIsolateState(files)).toEqual([])
  })

  test('it keeps values by text where ARCHITECTURE.md says why they are true', () => {
    const section = readSection(readFileSync('ARCHITECTURE.md', 'utf8'), 'what-an-isolate-caches')
    const listed = section.matchAll(/^\|[^|]+\| `([^`]+\.ts)`/gm)
    const kept = Object.keys(files).filter((path) => /\bRecentValues\b/.test(files[path] ?? ''))
    expect(kept.filter((path) => path !== 'src/platform/lib/isolate.ts').sort()).toEqual(
      [...listed].map(([, path]) => path).sort(),
    )
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
    [
      'a map behind a cast',
      'const x = new Map() as Map<string, Row>\nfunction f() {\n  x.set(1, 2)\n}',
    ],
    ['an object behind `satisfies`', 'const x = { } satisfies Rows\nfunction f() {\n  x.a = 1\n}'],
    [
      'a map that is made with its first use',
      'const x = once(() => new Map())\nfunction f() {\n  x().set(1, 2)\n}',
    ],
    ['a map in parentheses', 'const x = (new Map())\nfunction f() {\n  x.set(1, 2)\n}'],
    [
      'a member taken out of an object',
      'const { rows } = { rows: new Map() }\nfunction f() {\n  rows.set(1, 2)\n}',
    ],
    [
      'an element taken out of a list',
      'const [rows] = [new Map()]\nfunction f() {\n  rows.set(1, 2)\n}',
    ],
    ['a map in an object', 'const x = { rows: new Map() }\nfunction f() {\n  x.rows.set(1, 2)\n}'],
    ['a member of the global object', 'function f() {\n  globalThis.rows = 1\n}'],
    [
      'a member of the global object that is made once',
      'function f() {\n  globalThis.rows ??= load()\n}',
    ],
    [
      'a map under a second name',
      'const x = new Map()\nfunction f() {\n  const y = x\n  y.set(1, 2)\n}',
    ],
    [
      'a map that is handed on',
      'const x = new Map()\nfunction f() {\n  put(x)\n}\nfunction put(m) {\n  m.set(1, 2)\n}',
    ],
    ['a map for other modules', 'export const x = new Map()'],
    ['members that are assigned', 'const x = {}\nfunction f() {\n  Object.assign(x, { a: 1 })\n}'],
    ['a method named by a text', 'const x = new Map()\nfunction f() {\n  x["set"](1, 2)\n}'],
    ['a member of a function', 'function f() {\n  f.rows ??= load()\n}'],
    ['a member that is deleted', 'const x = { a: 1 }\nfunction f() {\n  delete x.a\n}'],
    [
      'a closure of a function that is called where it stands',
      'const read = (() => {\n  let rows\n  return () => (rows ??= load())\n})()',
    ],
    [
      'a map as a default',
      'const kept = new Map()\nfunction f(id, map = kept) {\n  map.set(id, 1)\n}',
    ],
    [
      'an object of a class without a name',
      'const x = new (class {\n  n = 0\n  f() {\n    this.n++\n  }\n})()',
    ],
    ['a member assigned by a pattern', 'const x = {}\nfunction f() {\n  [x.a] = [1]\n}'],
    [
      'an object with a method that changes it',
      'const x = { rows: undefined, read() {\n  this.rows ??= load()\n} }',
    ],
    ['a list made by a function', 'const x = Array.from([1])\nfunction f() {\n  x.push(2)\n}'],
    ['an object made by a function', 'const x = Object.create(null)\nfunction f() {\n  x.a = 2\n}'],
    ['an old variable', 'var p'],
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
    [
      'collections that are read-only by type',
      'const x: ReadonlySet<string> = new Set(["a"])\nconst y = once((): ReadonlySet<string> => new Set(x))',
    ],
    ['constants', 'const x = { a: ["b"] }\nfunction f() {\n  return x.a.at(0)\n}'],
    ['collections that go at once', 'const x = [...new Set(["a"])]'],
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
