import { expect, test } from 'vitest'
import { sources } from './support/sources.ts'

/** Rooms by rank: a file imports from its own room and from those above its line. */
const RANKS: readonly (readonly string[])[] = [
  ['src/lib/'],
  ['src/fault', 'src/setting'],
  ['src/db/'],
  ['src/queue/messages.ts'],
  ['src/access/'],
  ['src/context.ts'],
  ['src/http/app-env.ts'],
  ['src/http/request/'],
  ['src/http/response/'],
  ['src/background.ts', 'src/http/', 'src/mail/', 'src/queue/sweep.ts'],
  ['src/users/'],
  ['src/components/', 'src/fields/', 'src/groups/', 'src/history/', 'src/keys/', 'src/keywords/'],
  ['src/flags/', 'src/notices/'],
  ['src/products/', 'src/comments/'],
  ['src/attachments/'],
  ['src/search/'],
  ['src/saved-searches/'],
  ['src/bugs/model/'],
  ['src/bugs/edits/'],
  ['src/bugs/custom-fields/'],
  ['src/bugs/read/'],
  ['src/bugs/change/'],
  ['src/bugs/file/', 'src/bugs/faults.ts'],
  ['src/bugs/routes.ts'],
  [
    'src/visits/',
    'src/server/',
    'src/preferences/',
    'src/reminders/',
    'src/undelivered/',
    'src/webhooks/',
    'src/codehost/',
  ],
  ['src/rpc/', 'src/mcp/', 'src/pages/', 'src/cron.ts', 'src/queue/consume.ts'],
  ['src/app.ts'],
  ['src/worker.ts'],
]

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
