import { setTimeout as pause } from 'node:timers/promises'
import { type Attack, askBefore, askInTurns, leave, SECONDS, type Target } from './attack.ts'
import { addBacklog, addNames, FLAG_TYPE, KEYWORDS, WEBHOOK } from './attack-rows.ts'
import { get, post, put, type Request } from './request.ts'

type MakeEdit = (target: Target) => Record<string, unknown>

/** The most that the service accepts: items of a list, bugs of a request, entries of both together. */
const [ITEMS, BUGS, ITEMS_ON_ALL_BUGS] = [1000, 500, 20]
const MEGABYTE = 1024 * 1024

const MANY_FLAGS = Array.from({ length: 50 }, () => ({ name: FLAG_TYPE, status: '?', new: true }))
const LONG_COMMENT = { body: 'lacewing '.repeat(10_000).slice(0, 65_535) }
/** As long as one may be on 500 bugs. */
const LONG_ON_ALL = { body: LONG_COMMENT.body.slice(0, 8_000) }
const FULL = 'include_fields=_all,comments,description,history'

/** Searches that no index serves and that find too little to end early. */
const SCANS = [
  'longdesc=zq&longdesc_type=substring',
  'f1=longdesc&o1=notsubstring&v1=e',
  'f1=longdesc&o1=regexp&v1=zq[0-9]',
]

const MANY_LINKS: MakeEdit = () => ({ see_also: { set: listLinks('one', ITEMS) } })
const OTHER_LINKS: MakeEdit = () => ({ see_also: { set: listLinks('two', ITEMS) } })
const NO_LINKS: MakeEdit = () => ({ see_also: { set: [] } })
const ALL_KEYWORDS: MakeEdit = () => ({ keywords: { set: KEYWORDS } })
const SOME_KEYWORDS = KEYWORDS.slice(0, ITEMS_ON_ALL_BUGS)
const SOME_LINKS = listLinks('all', ITEMS_ON_ALL_BUGS)

export const ATTACKS: readonly Attack[] = [
  // first, before others leave long comments behind
  {
    ...{ name: 'scans, 8 at once', most: { cpu: Number.POSITIVE_INFINITY, p99: 1000, grown: 200 } },
    // a scan may end in the refusal of what would take too long
    statuses: [200, 400],
    watched: ({ bugs, headers }) => get(`/rest/bug/${bugs[0]}`, headers),
    prepare: async (target) => () => {
      const end = performance.now() + SECONDS * 1000
      return askInTurns(target, 8, (searcher, n) => {
        const path = `/rest/bug?limit=20&${SCANS[(searcher + n) % SCANS.length]}`
        return performance.now() < end ? get(path, target.headers) : null
      })
    },
  },
  // the largest edits that are accepted, and those just beyond, which must cost little
  edit('set 1,000 see_also', 200, 1, MANY_LINKS),
  edit('replace 1,000 see_also', 200, 1, OTHER_LINKS, MANY_LINKS),
  edit('replace 1,000 see_also on 5 bugs', 200, 5, OTHER_LINKS, MANY_LINKS),
  edit('link 499 bugs by see_also', 200, 1, ({ bugs }) => ({
    see_also: { add: bugs.slice(1).map(String) },
  })),
  edit('add 1,000 keywords on 10 bugs', 200, 10, () => ({ keywords: { add: KEYWORDS } })),
  edit('add 20 keywords on 500 bugs', 200, BUGS, () => ({ keywords: { add: SOME_KEYWORDS } })),
  // some have as many as a bug may have
  edit(
    'add 20 see_also on 500 bugs',
    200,
    BUGS,
    () => ({ see_also: { add: SOME_LINKS } }),
    NO_LINKS,
  ),
  edit('add 20 people to the CC of 500 bugs', 200, BUGS, ({ logins }) => ({
    cc: { add: logins.slice(0, ITEMS_ON_ALL_BUGS) },
  })),
  edit('set 50 flags on 500 bugs', 200, BUGS, () => ({ flags: MANY_FLAGS })),
  edit('comment 8,000 characters on 500 bugs', 200, BUGS, () => ({ comment: LONG_ON_ALL })),
  edit('comment 65,535 characters on 500 bugs (refused)', 400, BUGS, () => ({
    comment: LONG_COMMENT,
  })),
  edit('set 1,000 keywords on 500 bugs (refused)', 400, BUGS, ALL_KEYWORDS),
  edit('set 1,000 see_also on 500 bugs (refused)', 400, BUGS, MANY_LINKS),
  upload('upload 20 MB without credentials', 20, 401),
  upload('upload 10 MB with a key', 10, 201),
  upload('upload 20 MB with a key (refused)', 20, 400),
  upload('upload 40 MB with a key (refused)', 40, 413),
  {
    ...{ name: 'guess passwords, 16 at once', most: { cpu: 250, p99: 200, grown: 100 } },
    statuses: [401, 429, 503],
    prepare: async (target) => () =>
      // different logins, because one that is locked is no longer verified
      askInTurns(target, 16, (guesser, n) => {
        const path = `/rest/login?login=guess${guesser}.${n}@a.test&password=wrong`
        return n < 5 ? get(path) : null
      }),
  },
  {
    ...{
      name: 'a webhook with 100,000 waiting messages',
      most: { cpu: 1000, statement: 300, p99: 500 },
    },
    statuses: [200],
    change: addBacklog,
    watched: ({ bugs }) => get(`/rest/bug/${bugs.at(-1)}`),
    alone: (target) => switchWebhook(target, false),
    prepare: async (target) => async () => {
      const outcomes = await askInTurns(target, 1, (_, n) =>
        n === 0 ? switchWebhook(target, true) : null,
      )
      // the first messages leave
      await pause(SECONDS * 1000)
      return outcomes
    },
  },
  render('render many images', '!['),
  render('render many links', '[a]('),
  render('render many quotes', '>'),
  {
    ...{ name: '100 unfinished uploads of 9 MB', most: { cpu: 50, p99: 500, grown: 300 } },
    statuses: ['unfinished'],
    async prepare(target) {
      const body = createUpload(9)
      const all = { host: 'tracker.test', 'content-length': body.length, ...target.headers }
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
      const path = `/rest/bug/${target.bugs[0]}/attachment`
      const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
      const most = body.subarray(0, -MEGABYTE)
      return () => leave(target, 100, [head, most], 'unfinished')
    },
  },
  unread('30 unread answers of 100 MB', 100, async (target) => {
    const path = `/rest/bug/${target.bugs.at(-1)}/attachment`
    await repeatBefore(target, 10, () => post(path, createUpload(8)))
    return path
  }),
  unread('30 unread searches with all comments', 10, async (target) => {
    await repeatBefore(target, 1, () => describeLongComments(target))
    return `/rest/bug?bug_id=0&bug_id_type=notequals&limit=500&${FULL}`
  }),
  unread('30 unread reads of 200 bugs with all comments', 5, async (target) => {
    await repeatBefore(target, 1, () => describeLongComments(target))
    // more of them hold more than one request may read, and so do the lists of the first ones, and the flags of all
    const [first, ...others] = target.bugs.slice(200, 400)
    return `/rest/bug/${first}?ids=${others.join(',')}&${FULL}&exclude_fields=flags`
  }),
  unread('30 unread histories of 100 long values', 12, async (target) => {
    const path = `/rest/bug/${target.bugs.at(-3)}`
    await repeatBefore(target, 100, (n) =>
      put(path, { whiteboard: `${n} ${LONG_COMMENT.body.slice(10)}`, minor_update: true }),
    )
    return `${path}/history`
  }),
  unread('30 unread lists of 200 long comments', 12, async (target) => {
    return `/rest/bug/${await addDiscussion(target, -2)}/comment`
  }),
  unread('30 unread pages of 200 long comments', 0.1, async (target) => {
    return `/bug/${await addDiscussion(target, -4)}`
  }),
  unread('30 unread XML files of 200 long comments', 12, async (target) => {
    return `/show_bug.cgi?ctype=xml&id=${await addDiscussion(target, -5)}`
  }),
]

function switchWebhook({ headers }: Target, enabled: boolean): Request {
  return put(`/rest/webhooks/${WEBHOOK}`, { enabled }, headers)
}

function single(
  name: string,
  most: Attack['most'],
  status: number,
  describe: (target: Target) => Request,
  before?: (target: Target) => Request,
): Attack {
  const prepare: Attack['prepare'] = async (target) => {
    if (before !== undefined) {
      await askBefore(target, before(target))
    }
    return () => askInTurns(target, 1, (_, n) => (n === 0 ? describe(target) : null))
  }
  return { name, most, statuses: [status], prepare }
}

function edit(
  name: string,
  status: number,
  bugs: number,
  make: MakeEdit,
  before?: MakeEdit,
): Attack {
  const describe = (one: MakeEdit) => (target: Target) => {
    const ids = target.bugs.slice(0, bugs)
    return put(`/rest/bug/${ids[0]}`, { ...one(target), ids }, target.headers)
  }
  const most = { cpu: 1000, p99: 1000, grown: 100 }
  return {
    ...single(name, most, status, describe(make), before && describe(before)),
    change: addNames,
  }
}

function listLinks(host: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `https://${host}.test/${n}`)
}

function upload(name: string, megabytes: number, status: number): Attack {
  const most = { cpu: 500, p99: 500, grown: 100 }
  return single(name, most, status, ({ bugs, headers }) => {
    const path = `/rest/bug/${bugs[0]}/attachment`
    return post(path, createUpload(megabytes), status === 401 ? {} : headers)
  })
}

/** The longest text that is rendered without an account. */
function render(name: string, piece: string): Attack {
  const text = piece.repeat(Math.floor(10_000 / piece.length))
  const most = { cpu: 200, p99: 200, grown: 50 }
  return single(name, most, 200, () => post('/rest/bug/comment/render', { text }))
}

/** Asks for one answer 30 times at once and reads none; throws when it is not as large as announced. */
function unread(
  name: string,
  megabytes: number,
  preparePath: (target: Target) => Promise<string>,
): Attack {
  return {
    ...{ name, most: { cpu: megabytes === 100 ? 200 : 300, p99: 500, grown: 200 } },
    ...{ statuses: ['unread'], change: addNames },
    async prepare(target) {
      const path = await preparePath(target)
      const { bytes } = await askBefore(target, get(path))
      if (bytes.length < megabytes * MEGABYTE) {
        throw new Error(`${path} answers with ${bytes.length} bytes`)
      }
      const request = `GET ${path} HTTP/1.1\r\nhost: tracker.test\r\n\r\n`
      return () => leave(target, 30, [request], 'unread')
    },
  }
}

async function repeatBefore(
  target: Target,
  times: number,
  describe: (n: number) => Request,
): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await askBefore(target, { ...describe(n), headers: target.headers })
  }
}

/** Adds 200 long comments to a bug, counted from the end of the list; returns its ID. */
async function addDiscussion(target: Target, place: number): Promise<number | undefined> {
  const bug = target.bugs.at(place)
  const edits = { comment: LONG_COMMENT, minor_update: true }
  await repeatBefore(target, 200, () => put(`/rest/bug/${bug}`, edits))
  return bug
}

function describeLongComments({ bugs: ids }: Target): Request {
  return put(`/rest/bug/${ids[0]}`, { ids, comment: LONG_ON_ALL, flags: MANY_FLAGS })
}

/** The body of an attachment of so many MB. */
function createUpload(megabytes: number): Buffer {
  const data = Buffer.alloc(megabytes * MEGABYTE, 'lacewing').toString('base64')
  const body = { data, file_name: 'a', summary: 'x', content_type: 'text/plain' }
  return Buffer.from(JSON.stringify(body))
}
