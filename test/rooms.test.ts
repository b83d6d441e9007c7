import { expect, test } from 'vitest'
import { sources } from './support/sources.ts'

/** Rooms by rank and wing: a file imports from its own room and from those above its line. */
const RANKS: readonly (readonly string[])[] = [
  ...wing('platform', [
    ['lib/'],
    ['faults/', 'settings/', 'load/'],
    ['db/'],
    ['access/'],
    ['context.ts'],
    ['background.ts', 'outbox/', 'http/request/'],
    ['http/response/', 'mail/'],
    ['http/operations/'],
    ['http/openapi/'],
  ]),
  ...wing('tracker', [
    ['users/', 'bug-mail/'],
    ['components/', 'fields/', 'groups/', 'history/', 'keys/', 'keywords/'],
    ['flags/', 'notices/'],
    ['products/', 'comments/'],
    ['attachments/'],
    ['search/'],
    ['saved-searches/'],
    ['bugs/model/'],
    ['bugs/edits/'],
    ['bugs/custom-fields/'],
    ['bugs/read/'],
    ['bugs/change/'],
    ['bugs/file/'],
    ['bugs/routes.ts'],
    ['visits/', 'preferences/', 'reminders/'],
  ]),
  ...wing('edges', [
    ['server/', 'undelivered/', 'webhooks/', 'codehost/'],
    ['archive/', 'rpc/', 'mcp/', 'pages/'],
  ]),
  ['src/cron.ts', 'src/queue.ts'],
  ['src/app.ts'],
  ['src/worker.ts'],
]

function wing(name: string, ranks: readonly (readonly string[])[]): string[][] {
  return ranks.map((rooms) => rooms.map((room) => `src/${name}/${room}`))
}

const rooms = RANKS.flatMap((names, rank) => names.map((name) => ({ name, rank })))

const imports: readonly (readonly [from: string, to: string])[] = Object.entries(sources).flatMap(
  ([from, text]) =>
    [...text.matchAll(/\b(?:from|import)\s*\(?'(\.[^']+)'/g)].map(
      ([, to = '']) => [from, new URL(to, `file:///${from}`).pathname.slice(1)] as const,
    ),
)

function roomOf(path: string) {
  return rooms.find(({ name }) => path.startsWith(name))
}

test('every file stands in one room, and every room of the table exists', () => {
  const paths = Object.keys(sources)
  expect(paths.filter((path) => roomOf(path) === undefined)).toEqual([])
  expect(rooms.filter((room) => !paths.some((path) => roomOf(path) === room))).toEqual([])
})

test('a file imports, types included, from its own room and from rooms of lower rank', () => {
  const wrong = imports.filter(([from, to]) => {
    const [own, other] = [roomOf(from), roomOf(to)]
    return own !== other && (own?.rank ?? -1) <= (other?.rank ?? -1)
  })
  expect(wrong.map((pair) => pair.join(' -> '))).toEqual([])
})

test('no file imports itself through others, types included', () => {
  const importedBy = Map.groupBy(imports, ([from]) => from)
  const state = new Map<string, 'open' | 'done'>()
  const circles: string[] = []
  const visit = (path: string, trail: readonly string[]) => {
    if (state.get(path) === 'open') {
      circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
    }
    if (!state.has(path)) {
      state.set(path, 'open')
      for (const [, to] of importedBy.get(path) ?? []) {
        visit(to, [...trail, path])
      }
      state.set(path, 'done')
    }
  }
  for (const path of Object.keys(sources)) {
    visit(path, [])
  }
  expect(circles).toEqual([])
})
