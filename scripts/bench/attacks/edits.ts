import type { Attack, Target } from './attack.ts'
import { send, sendBefore } from './attack.ts'

/** The most that the service accepts: items of a list, bugs of a request, entries of both together. */
const ITEMS = 1000
const BUGS = 500
const ITEMS_ON_ALL_BUGS = 20
const FLAGS = 50
const CHARACTERS = 65_535

/** The names that the bench gives keywords and its type of flag. */
export const keywordNames = Array.from({ length: ITEMS }, (_, n) => `many${n}`)
export const FLAG_TYPE = 'many'

type Edit = Readonly<Record<string, unknown>>
type MakeEdit = (target: Target) => Edit

const setLinks = (host: string): MakeEdit => {
  return () => ({ see_also: { set: links(host, ITEMS) } })
}

/** The largest edits that are accepted, and those just beyond, which must cost little. */
export const editAttacks: readonly Attack[] = [
  edit('set 1,000 see_also', 1, setLinks('one')),
  edit('replace 1,000 see_also', 1, setLinks('two'), [setLinks('one')]),
  edit('replace 1,000 see_also on 5 bugs', 5, setLinks('two'), [setLinks('one')]),
  edit('link 499 bugs by see_also', 1, ({ bugs }) => ({
    see_also: { add: bugs.slice(1).map(String) },
  })),
  edit('add 1,000 keywords on 10 bugs', 10, () => ({ keywords: { add: keywordNames } })),
  edit('add 20 keywords on 500 bugs', BUGS, () => ({
    keywords: { add: keywordNames.slice(0, ITEMS_ON_ALL_BUGS) },
  })),
  edit('add 20 see_also on 500 bugs', BUGS, () => ({
    see_also: { add: links('all', ITEMS_ON_ALL_BUGS) },
  })),
  edit('add 20 people to the CC of 500 bugs', BUGS, ({ logins }) => ({
    cc: { add: logins.slice(0, ITEMS_ON_ALL_BUGS) },
  })),
  edit('set 50 flags on 500 bugs', BUGS, () => ({
    flags: Array.from({ length: FLAGS }, () => ({ name: FLAG_TYPE, status: '?', new: true })),
  })),
  edit('comment 65,535 characters on 500 bugs', BUGS, () => ({
    comment: { body: 'lacewing '.repeat(CHARACTERS).slice(0, CHARACTERS) },
  })),
  refused('set 1,000 keywords on 500 bugs', () => ({ keywords: { set: keywordNames } })),
  refused('set 1,000 see_also on 500 bugs', setLinks('one')),
]

function edit(
  name: string,
  bugs: number,
  attack: MakeEdit,
  before: readonly MakeEdit[] = [],
): Attack {
  return {
    name,
    requests: 1,
    most: { cpu: 1000, p99: 1000, megabytes: 100 },
    statuses: [200],
    async prepare(target) {
      const ids = target.bugs.slice(0, bugs)
      const path = `/bug/${ids[0]}`
      for (const make of before) {
        await sendBefore(target, 'PUT', path, { ...make(target), ids })
      }
      return async () => [await send(target, 'PUT', path, { ...attack(target), ids })]
    },
  }
}

function refused(name: string, attack: MakeEdit): Attack {
  const most = { cpu: 1000, p99: 1000, megabytes: 100 }
  return { ...edit(`${name} (refused)`, BUGS, attack), most, statuses: [400] }
}

function links(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `https://${host}.test/${n}`)
}
