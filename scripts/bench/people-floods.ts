import type { DatabaseSync } from 'node:sqlite'
import type { Flood } from './floods.ts'

const [ACCOUNTS, STRINGS, ON_CC] = [100_000, 20, 5_000]

/** Reads that look through the accounts of a large tracker. */
export const PEOPLE_FLOODS: readonly Flood[] = [
  { ...match('twenty strings that no account matches', STRINGS, 'zz'), prepare: addAccounts },
  match('texts between stars that no account matches', 1, '*e*e*q*z'),
  match('a string that no account matches', 1, 'zz'),
  {
    name: `a bug with ${ON_CC.toLocaleString('en')} people on CC`,
    prepare: (database, { bugs: [bug = 0] }) => {
      database.exec(`INSERT OR IGNORE INTO bug_cc (bug_id, user_id)
        SELECT ${bug}, id FROM users ORDER BY id DESC LIMIT ${ON_CC}`)
    },
    request: ({ bugs: [bug], headers }) => ({ path: `/rest/bug/${bug}`, headers }),
  },
  {
    name: 'a change of a bug with as many people on CC',
    request: ({ bugs: [bug], headers }, n) => ({
      ...{ method: 'PUT', path: `/rest/bug/${bug}`, headers },
      body: { whiteboard: `flood ${n}` },
    }),
  },
]

/** Each request looks for others, so that none is known to take long. */
function match(name: string, strings: number, start: string): Flood {
  return {
    name,
    request: ({ headers }, n) => {
      const all = Array.from({ length: strings }, (_, m) => `match=${start}${n}z${m}`)
      return { path: `/rest/user?${all.join('&')}`, headers }
    },
  }
}

function addAccounts(database: DatabaseSync): void {
  const login = "'many' || value || '@many.test'"
  database
    .prepare(
      `INSERT INTO users (login, login_fold, real_name, real_name_fold, created_at)
        SELECT ${login}, ${login}, 'One of very many people', 'one of very many people', 0 FROM json_each(?)`,
    )
    .run(JSON.stringify(Array.from({ length: ACCOUNTS }, (_, n) => n)))
}
