import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../../command.ts'
import { JsonClient } from '../fetch/json-client.ts'
import { type Members, readId, readList, readMembers, readText, readTime } from '../fetch/read.ts'
import { listFolder } from '../folder.ts'
import type { SourceBug, SourceChange, SourceComment } from '../source/shapes.ts'
import type { Conversion } from './convert.ts'

/** Objects of one page of the API. */
const PAGE = 100

const COMPONENT = 'General'
/** The address that hosts give to people who do not tell theirs. */
const NO_REPLY = 'users.noreply.github.com'

type Pages = { issues: Members[]; comments: Members[]; events: Members[] }

/**
 * Issues of a repository as bugs of a product: from the API, such as https://api.github.com/repos/OWNER/NAME, or from a
 * file or folder of its answers, each a list of issues, comments or events.
 */
export async function* convertGitHub(conversion: Conversion): AsyncGenerator<SourceBug> {
  const { from, notes, describe } = conversion
  const pages = /^https?:/.test(from) ? await fetchPages(conversion) : await readPages(from)
  const product = productOf(pages.issues, from)
  describe({
    name: /^https?:/.test(from) ? from : `github:${product}`,
    structure: {
      keywords: labelsOf(pages.issues),
      people: [...peopleOf(pages)],
    },
  })
  const comments = groupByIssue(pages.comments)
  const events = groupByIssue(pages.events)
  const taken = new Set(pages.comments.map(({ id }) => readId(id)))
  for (const issue of pages.issues) {
    const number = readId(issue.number)
    if (issue.pull_request !== undefined && issue.pull_request !== null) {
      notes.add('pull requests are left out', `#${number}`)
      continue
    }
    if (number !== null) {
      yield toBug(product, issue, {
        comments: toComments(issue, comments.get(number) ?? [], taken),
        history: (events.get(number) ?? []).flatMap(toChange),
      })
    }
  }
}

function productOf(issues: readonly Members[], from: string): string {
  const [first] = issues
  const address = readText(first?.repository_url) || readText(first?.url) || from
  return /repos\/[^/]+\/([^/]+)/.exec(address)?.[1] ?? 'Issues'
}

function toBug(
  product: string,
  issue: Members,
  parts: Pick<SourceBug, 'comments' | 'history'>,
): SourceBug {
  const labels = readList(issue.labels).map(labelName)
  const isClosed = issue.state === 'closed'
  const [assignee = '', ...others] = [...readList(issue.assignees), issue.assignee]
    .map(loginOf)
    .filter((login, n, all) => login !== '' && all.indexOf(login) === n)
  const created = readTime(issue.created_at) ?? '1970-01-01T00:00:00Z'
  return {
    ...{ id: readId(issue.number) ?? 0, alias: null, summary: readText(issue.title) },
    ...{ product, component: COMPONENT, version: '' },
    target_milestone: readText(readMembers(issue.milestone).title),
    status: isClosed ? 'RESOLVED' : 'CONFIRMED',
    resolution: !isClosed ? '' : (RESOLUTIONS[readText(issue.state_reason)] ?? 'FIXED'),
    is_confirmed: true,
    type: labels.includes('enhancement') || labels.includes('feature') ? 'enhancement' : 'defect',
    ...{ priority: '--', severity: '--', platform: 'Unspecified', op_sys: 'Unspecified' },
    ...{ assigned_to: assignee, creator: loginOf(issue.user), qa_contact: null },
    ...{ is_cc_accessible: true, is_creator_accessible: true, url: '', whiteboard: '' },
    ...{ deadline: null, estimated_time: 0, remaining_time: 0 },
    ...{ creation_time: created, last_change_time: readTime(issue.updated_at) ?? created },
    ...{ cc: others, groups: [], keywords: labels, custom: {} },
    ...{ dupe_of: null, depends_on: [], regressed_by: [] },
    see_also: [readText(issue.html_url)].filter(Boolean),
    ...{ flags: [], attachments: [], people: [] },
    ...parts,
  }
}

const RESOLUTIONS: Readonly<Record<string, string>> = {
  completed: 'FIXED',
  not_planned: 'WONTFIX',
  // which one it is a duplicate of is told by a comment alone
  duplicate: 'INVALID',
}

/** The description and what follows it. The description has no number of its own: it gets that of the issue. */
function toComments(
  issue: Members,
  others: readonly Members[],
  taken: Set<number | null>,
): SourceComment[] {
  let number = readId(issue.number) ?? 0
  while (taken.has(number)) {
    number += 1
  }
  taken.add(number)
  const comment = (id: number, given: Members): SourceComment => ({
    ...{ id, creator: loginOf(given.user), text: readText(given.body).replaceAll('\r\n', '\n') },
    creation_time: readTime(given.created_at) ?? '1970-01-01T00:00:00Z',
    ...{ is_private: false, is_markdown: true, attachment_id: null, tags: [] },
  })
  return [
    comment(number, issue),
    ...others.flatMap((given) => {
      const id = readId(given.id)
      return id === null ? [] : [comment(id, given)]
    }),
  ].sort((a, b) => a.creation_time.localeCompare(b.creation_time) || a.id - b.id)
}

function toChange(event: Members): SourceChange[] {
  const when = readTime(event.created_at)
  const change = (field_name: string, removed: string, added: string): SourceChange => ({
    ...{ who: loginOf(event.actor), when: when ?? '', field_name, removed, added },
    attachment_id: null,
  })
  if (when === null) {
    return []
  }
  const label = labelName(event.label)
  const milestone = readText(readMembers(event.milestone).title)
  const { from, to } = readMembers(event.rename)
  switch (event.event) {
    case 'closed': {
      const resolution = RESOLUTIONS[readText(event.state_reason)] ?? 'FIXED'
      return [change('status', 'CONFIRMED', 'RESOLVED'), change('resolution', '', resolution)]
    }
    case 'reopened':
      return [change('status', 'RESOLVED', 'CONFIRMED')]
    case 'labeled':
      return [change('keywords', '', label)]
    case 'unlabeled':
      return [change('keywords', label, '')]
    case 'assigned':
      return [change('assigned_to', '', loginOf(event.assignee))]
    case 'unassigned':
      return [change('assigned_to', loginOf(event.assignee), '')]
    case 'milestoned':
      return [change('target_milestone', '', milestone)]
    case 'demilestoned':
      return [change('target_milestone', milestone, '')]
    case 'renamed':
      return [change('summary', readText(from), readText(to))]
    default:
      return []
  }
}

/** Keywords have no blanks and no commas. */
function labelName(label: unknown): string {
  const name = typeof label === 'string' ? label : readText(readMembers(label).name)
  return name.trim().replace(/[\s,]+/g, '-')
}

function labelsOf(issues: readonly Members[]) {
  const labels = issues.flatMap(({ labels: own }) => readList(own).map(readMembers))
  return labels.map((label) => ({
    name: labelName(label),
    description: readText(label.description),
  }))
}

function loginOf(user: unknown): string {
  const { login } = readMembers(user)
  return readText(login) === '' ? '' : `${readText(login)}@${NO_REPLY}`
}

function* peopleOf({ issues, comments, events }: Pages) {
  const users = [
    ...issues.flatMap((issue) => [issue.user, ...readList(issue.assignees)]),
    ...comments.map(({ user }) => user),
    ...events.flatMap(({ actor, assignee }) => [actor, assignee]),
  ]
  for (const user of users) {
    const { login, id, name } = readMembers(user)
    if (readText(login) !== '') {
      const realName = readText(name) || readText(login)
      yield { name: loginOf(user), id: readId(id), real_name: realName }
    }
  }
}

function groupByIssue(objects: readonly Members[]): Map<number, Members[]> {
  const byIssue = new Map<number, Members[]>()
  for (const object of objects) {
    const address = readText(object.issue_url)
    const number = readId(readMembers(object.issue).number) ?? readId(/(\d+)$/.exec(address)?.[1])
    if (number !== null) {
      byIssue.set(number, [...(byIssue.get(number) ?? []), object])
    }
  }
  return byIssue
}

async function readPages(from: string): Promise<Pages> {
  if (!existsSync(from)) {
    throw new CommandError(`${from} does not exist.`)
  }
  const names = statSync(from).isDirectory()
    ? (await listFolder(from))
        .filter((name) => name.endsWith('.json'))
        .map((name) => join(from, name))
    : [from]
  const pages: Pages = { issues: [], comments: [], events: [] }
  for (const name of names.sort()) {
    let value: unknown
    try {
      value = JSON.parse(readFileSync(name, 'utf8'))
    } catch {
      throw new CommandError(`${name} is not valid JSON.`)
    }
    for (const object of readList(value).map(readMembers)) {
      sort(pages, object)
    }
  }
  return pages
}

/** Of which kind an object is, is told by its members. */
function sort(pages: Pages, object: Members): void {
  if (object.title !== undefined && object.number !== undefined) {
    pages.issues.push(object)
  } else if (object.event !== undefined) {
    pages.events.push(object)
  } else if (object.issue_url !== undefined) {
    pages.comments.push(object)
  }
}

async function fetchPages({ from, key }: Conversion): Promise<Pages> {
  const client = new JsonClient()
  const headers = {
    accept: 'application/vnd.github+json',
    'user-agent': 'lacewing',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
  const read = async (path: string) => {
    const all: Members[] = []
    for (let page = 1; ; page += 1) {
      const query = new URLSearchParams({ per_page: String(PAGE), page: String(page) })
      if (path === 'issues') {
        query.set('state', 'all')
        query.set('direction', 'asc')
      }
      const { status, value } = await client.get(`${from}/${path}?${query}`, headers)
      if (status >= 400) {
        throw new CommandError(`${from}: ${readText(readMembers(value).message)} (${status})`)
      }
      const objects = readList(value).map(readMembers)
      all.push(...objects)
      if (objects.length < PAGE) {
        return all
      }
    }
  }
  const [issues, comments, events] = [
    await read('issues'),
    await read('issues/comments'),
    await read('issues/events'),
  ]
  return { issues, comments, events }
}
