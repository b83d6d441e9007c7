import { type Attack, askBefore, askInTurns, type Target } from './attack.ts'
import {
  addAccounts,
  addChanges,
  addLinks,
  addLongComments,
  addLongWhiteboards,
  addPeopleOnCc,
  addStructure,
  addWebhooks,
} from './attack-rows.ts'
import { get, post, put, type Request, readTable } from './request.ts'

/** The same requests that are sent at once, and seconds that somebody waits for them. */
const [AT_ONCE, MOST_SECONDS] = [64, 40]

/** Memory: the runtime keeps some 200 MB of what 64 histories took, and no more of them after a second flood. */
const MOST = { cpu: 1000, statement: 300, p99: 500, remains: 250 }

const COLUMNS = `bug_status resolution priority bug_severity product component version target_milestone op_sys \
rep_platform assigned_to reporter qa_contact short_desc status_whiteboard opendate changeddate bug_file_loc votes \
longdescs.count classification alias deadline estimated_time keywords everconfirmed dupe_count cc_count blocked \
dependson`
const [BEGINNINGS, LETTERS] = [[...'abcdefghij'].map((letter) => `${letter}*`), [...'acdefghklm']]
const SHORT_WORDS = Array.from('bcdfghjklm', (first) => LETTERS.map((next) => first + next))
const PHRASE = 'the+'.repeat(300)
const KEYWORDS_COUNTED = new URLSearchParams(rows(290, 'keywords.count', 'equals'))
const GROUPS = Array.from({ length: 4_990 }, (_, n) => [`f${n}`, 'OP'])
const PARAMETERS = Array.from({ length: 60_000 }, (_, n) => [`p${n}`, ''])
const IDS = Array.from({ length: 150_000 }, (_, n) => n + 1)
/** A wide table of short rows: most of its cells stand nowhere in the text. */
const TABLE = `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'|\n'.repeat(320)}\n`
const LONG_TEXT = 65_000
const CALLS = 20
const EDITED = 500
/** Beside those that the bug has. */
const ATTACHMENTS = 480
const CHAIN = 12_000
/** Products with a component each, which have nearly as many flag types as one answer lists. */
const PRODUCTS = Array.from({ length: 24 }, (_, n) => `names=many${n + 2}`).join('&')

/** Searches, and reads of bugs. */
const SEARCHES = `
  exclude words that begin with a          | limit=20&f1=content&o1=notmatches&v1=a*
  ten beginnings by relevance              | limit=20&content=${BEGINNINGS.join('+')}&order=relevance
  six words by relevance                   | limit=20&content=print+window+dialog+crash+failure+assertion&order=relevance
  ten words by relevance                   | limit=20&content=print+window+dialog+crash+failure+assertion+keyboard+focus+account+menu&order=relevance
  a phrase of 300 frequent words           | limit=20&content="${PHRASE}"&order=relevance
  the same as a quicksearch                | limit=20&quicksearch="${PHRASE}"
  100 words of two letters by relevance    | limit=20&content=${SHORT_WORDS.flat().join('+')}&order=relevance
  longdescs.count notequals, 20 times      | limit=20&${rows(20, 'longdescs.count', 'notequals')}
  a regular expression over comments       | limit=20&f1=longdesc&o1=regexp&v1=zq[0-9]
  parts of comments beside a frequent word | limit=20&longdesc=ing%20the%20ing&longdesc_type=substring
  ends of words beside beginnings of words | limit=20&longdesc=ion%20the&longdesc_type=substring&order=changeddate&f1=longdesc&o1=substring&v1=ing%20page
  a sign ahead of a frequent word          | limit=20&longdesc=(the&longdesc_type=substring
  an order by 30 columns                   | limit=20&f1=bug_id&o1=greaterthan&v1=0&order=${COLUMNS.replaceAll(' ', ',')}
  500 bugs                                 | limit=500&f1=bug_id&o1=greaterthan&v1=0
  10,000 bugs in the order of summaries    | f1=bug_id&o1=greaterthan&v1=0&order=short_desc
  all fields of 1,000 bugs                 | limit=1000&f1=bug_id&o1=greaterthan&v1=0&include_fields=_all
  status changes of three days             | limit=20&chfield=bug_status&chfieldfrom=-3d
`

/** Requests that one caller sends many times at once, so that all others wait. */
export const FLOODS: readonly Attack[] = [
  ...readTable(SEARCHES).map(([name = '', query]) => flood(name, () => get(`/rest/bug?${query}`))),
  flood('keywords.count, 290 times, sent as JSON', () => search(KEYWORDS_COUNTED)),
  flood('the HTML of 65,000 characters of tables', ({ headers }) => {
    const text = TABLE.repeat(LONG_TEXT / TABLE.length)
    return post('/rest/bug/comment/render', { text }, headers)
  }),
  flood('5,000 groups of criteria by JSON-RPC', () => search(GROUPS)),
  flood('60,000 parameters by JSON-RPC', () => search(PARAMETERS)),
  flood('300,000 empty texts by JSON-RPC', () => search([['product', Array(300_000).fill('')]])),
  flood('150,000 IDs by JSON-RPC', () => post('/jsonrpc.cgi', call('Bug.get', { ids: IDS }))),
  flood('a list of 20 searches by JSON-RPC', () => {
    const one = (n: number) => ({ longdesc: `zq${n}`, longdesc_type: 'substring', limit: 20 })
    const calls = Array.from({ length: CALLS }, (_, n) => call('Bug.search', one(n), n))
    return post('/jsonrpc.cgi', calls)
  }),
  flood(
    'a discussion of 12 MB by MCP',
    ({ longBug }) => {
      const params = { name: 'list_comments', arguments: { bug: longBug } }
      const headers = { accept: 'application/json, text/event-stream' }
      return post('/mcp', call('tools/call', params), headers)
    },
    { change: addLongComments },
  ),
  flood('a bug with 20,000 links', ({ longBug }) => get(`/rest/bug/${longBug}`), {
    change: (database, { longBug }) =>
      addLinks(database, 'value', `${longBug}`, [CHAIN, CHAIN + 20_000]),
  }),
  flood('a history of 30,000 changes', ({ longBug }) => get(`/rest/bug/${longBug}/history`), {
    change: addChanges,
  }),
  flood('the bytes of 480 attachments', ({ bugs }) => get(`/rest/bug/${bugs[1]}/attachment`), {
    before: addAttachments,
  }),
  // late, because bugs and their messages remain
  flood(
    'a link to the beginning of a chain of 12,000 bugs',
    ({ headers }, n) => put(`/rest/bug/${CHAIN + 2 + n}`, { depends_on: { add: [1] } }, headers),
    { change: (database) => addLinks(database, 'value', 'value + 1', [0, CHAIN]) },
  ),
  flood(
    'an edit of 500 bugs that 1,000 webhooks hear of',
    ({ bugs, headers }, n) => {
      const edit = { ids: bugs.slice(0, EDITED), whiteboard: `flood ${n}` }
      return put(`/rest/bug/${bugs[0]}`, edit, headers)
    },
    { change: addWebhooks },
  ),
  // thousands of products, to each of whose components thousands of flag types apply
  flood('flag types of 5,000 components', () => get('/rest/product'), { change: addStructure }),
  flood('flag types of 24 components', () => get(`/rest/product?${PRODUCTS}`)),
  flood('the configuration with IDs of flag types', () => get('/rest/configuration')),
  flood('the page of a product beside many flag types', () => get('/products/many1')),
  // reads that look through the accounts of a large tracker
  flood('twenty strings that no account matches', matchPeople(20, 'zz'), { change: addAccounts }),
  flood('texts between stars that no account matches', matchPeople(1, '*e*e*q*z')),
  flood('a string that no account matches', matchPeople(1, 'zz')),
  flood(
    'a bug with 5,000 people on CC',
    ({ bugs: [bug], headers }) => get(`/rest/bug/${bug}`, headers),
    { change: addPeopleOnCc },
  ),
  flood('a change of a bug with as many people on CC', ({ bugs: [bug], headers }, n) =>
    put(`/rest/bug/${bug}`, { whiteboard: `flood ${n}` }, headers),
  ),
  // last, because no edit of several bugs may read them
  flood(
    '100 bugs with long whiteboards',
    ({ bugs }) => get(`/rest/bug?limit=100&id=${bugs.slice(2, 102)}`),
    { change: addLongWhiteboards },
  ),
]

function flood(
  name: string,
  describe: (target: Target, n: number) => Request,
  { change, before }: Pick<Attack, 'change'> & { before?: (target: Target) => Promise<void> } = {},
): Attack {
  return {
    ...{ name, most: MOST, change, alone: (target) => describe(target, 0) },
    watched: ({ bugs }) => get(`/rest/bug/${bugs.at(-1)}`),
    async prepare(target) {
      await before?.(target)
      return () => {
        const signal = AbortSignal.timeout(MOST_SECONDS * 1000)
        const request = (caller: number, n: number) =>
          n === 0 ? describe(target, caller + 1) : null
        return askInTurns(target, AT_ONCE, request, signal)
      }
    },
  }
}

async function addAttachments(target: Target): Promise<void> {
  const body = { data: 'bGFjZXdpbmc=', file_name: 'a', summary: 'x', content_type: 'text/plain' }
  for (let n = 0; n < ATTACHMENTS; n += 1) {
    await askBefore(target, post(`/rest/bug/${target.bugs[1]}/attachment`, body, target.headers))
  }
}

/** Each request looks for others, so that none is known to take long. */
function matchPeople(strings: number, start: string) {
  return ({ headers }: Target, n: number) => {
    const all = Array.from({ length: strings }, (_, m) => `match=${start}${n}z${m}`)
    return get(`/rest/user?${all.join('&')}`, headers)
  }
}

function call(method: string, params: object, id = 1) {
  return { jsonrpc: '2.0', id, method, params }
}

/** A search by JSON-RPC, whose parameters no path limits. */
function search(parameters: Iterable<unknown[]>): Request {
  return post(
    '/jsonrpc.cgi',
    call('Bug.search', Object.fromEntries(parameters as [string, unknown][])),
  )
}

/** Criteria about one field, of which any may hold. */
function rows(count: number, field: string, operator: string): string {
  const one = (n: number) => `f${n}=${field}&o${n}=${operator}&v${n}=9${n}`
  return ['j_top=OR', ...Array.from({ length: count }, (_, n) => one(n))].join('&')
}
