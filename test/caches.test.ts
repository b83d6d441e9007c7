/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, test } from 'vitest'
import { readSection } from './reference/page.ts'
import { architecture, code } from './support/sources.ts'

/** Files whose closures and objects keep something no longer than whoever makes them: one call, or a listed cache. */
const KEPT_FOR_MAKER = [
  'src/tracker/attachments/create.ts',
  'src/tracker/attachments/streamed-bytes.ts',
  'src/tracker/bugs/custom-fields/values.ts',
  'src/tracker/bugs/edits/see-also/see-also.ts',
  'src/tracker/bugs/read/reader.ts',
  'src/edges/codehost/pull-request.ts',
  'src/tracker/comments/streamed-comments.ts',
  'src/platform/db/compile.ts',
  'src/platform/outbox/outbox.ts',
  'src/tracker/history/present.ts',
  'src/platform/http/operations/call-operation.ts',
  'src/platform/http/request/event-body.ts',
  'src/platform/http/request/upload-body.ts',
  'src/platform/lib/base64.ts',
  'src/platform/lib/bounded-cache.ts',
  'src/platform/lib/markdown/markdown-references.ts',
  'src/platform/lib/streaming-json-member.ts',
  'src/edges/rpc/xml/call-parser.ts',
  'src/edges/rpc/xml/read-call.ts',
  'src/edges/rpc/xml/xml-writer.ts',
  'src/tracker/users/create.ts',
  'src/tracker/users/update.ts',
]

describe('what outlives a call', () => {
  const section = readSection(architecture, 'what-an-isolate-caches')
  const keeping = Object.keys(code).filter(
    (path) => hasModuleState(code[path] ?? '') || hasInnerState(code[path] ?? ''),
  )
  const listed = [...section.matchAll(/^\|[^|]+\| `([^`]+)`/gm)].map(([, path]) => `src/${path}`)

  test('is listed as a cache of the isolate', () => {
    const missing = keeping.filter(
      (path) =>
        !listed.includes(path) &&
        (hasModuleState(code[path] ?? '') || !KEPT_FOR_MAKER.includes(path)),
    )
    expect(missing).toEqual([])
  })

  test('is listed no longer than it is there', () => {
    expect(listed.length).toBeGreaterThan(10)
    expect(listed.filter((path) => !keeping.includes(path))).toEqual([])
    expect(KEPT_FOR_MAKER.filter((path) => !keeping.includes(path))).toEqual([])
  })

  test.each([
    ['let loading: Promise<void> | undefined', true],
    ['export let count = 0', true],
    ['const known = new Map()\nfunction f() {\n  known.set(1, 2)\n}', true],
    ['export const hits: string[] = []\nfunction f() {\n  hits.push("x")\n}', true],
    ['const pattern = /x/y\nfunction f() {\n  pattern.lastIndex = 0\n}', true],
    ['const state = { at: 0 }\nfunction f() {\n  state.at += 1\n}', true],
    ['const state = {}\nfunction f(key) {\n  state[key] ??= 1\n}', true],
    ['const known = new Map()\nfunction f() {\n  other.known.set(1, 2)\n}', false],
    ['const known = new Set(["a"])\nfunction f() {\n  return known.has("a")\n}', false],
    ['const a = { at: 0 }\nfunction f() {\n  return a.at === 0 || a.at >= 1\n}', false],
    ['function f() {\n  let at = 0\n  at += 1\n}', false],
  ])('is found at the top of the module %j: %j', (text, expected) => {
    expect(hasModuleState(text)).toBe(expected)
  })

  test.each([
    ['function f() {\n  let made: string | undefined\n  return () => made\n}', true],
    ['class A {\n  add() {\n    this.#known.set(1, 2)\n  }\n}', true],
    ['function f() {\n  const known = new BoundedCache<string>(1)\n}', true],
    ['function f() {\n  const known = new Map(rows)\n  return known.get(1)\n}', false],
  ])('is found in closures and objects %j: %j', (text, expected) => {
    expect(hasInnerState(text)).toBe(expected)
  })
})

/** Whether a module has variables, or constants whose content it changes. */
function hasModuleState(text: string): boolean {
  const constants = [...text.matchAll(/^(?:export )?const (\w+)/gm)].map(([, name = '']) => name)
  const calls = '\\.(?:set|add|delete|clear|push|unshift|pop|shift|splice|sort|reverse)\\('
  const assignments = '(?:\\.[a-zA-Z]+|\\[[^\\]\\n]+\\]) (?:[-+*/|&]|\\|\\||&&|\\?\\?)?=(?![=>])'
  return (
    /^(?:export )?let /m.test(text) ||
    constants.some((name) =>
      new RegExp(`(?<![.\\w$])${name}(?:${calls}|${assignments})`).test(text),
    )
  )
}

/** Whether functions or objects may keep something that they find later. */
function hasInnerState(text: string): boolean {
  return (
    /\bnew BoundedCache\b|\?\?=|\bthis\.#\w+\.(?:set|add|push)\(/.test(text) ||
    /^\s+let \w+(?:: [^=\n]+)?$/m.test(text)
  )
}
