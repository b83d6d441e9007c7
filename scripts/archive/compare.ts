import { type ArchiveFolder, readLines } from './folder.ts'
import { showProgress } from './progress.ts'
import type { Tracker } from './tracker.ts'

/** Bugs of one request. */
const BATCH = 50

type Line = Record<string, unknown> & { id: number }

/** A difference between the archive and what the API shows. */
type Difference = {
  readonly thing: string
  readonly member: string
  readonly archived: unknown
  readonly shown: unknown
}

/** Members whose order says nothing. */
const SETS: ReadonlySet<string> = new Set([
  'cc',
  'groups',
  'keywords',
  'depends_on',
  'regressed_by',
])
/** Members that the API has in another form or not at all. */
const HIDDEN: ReadonlySet<string> = new Set(['estimated_time', 'remaining_time', 'see_also'])

/** Compares every bug, or each `step`-th, with its comments, attachments and history, as the API shows them. */
export async function compareBugs(
  tracker: Tracker,
  { folder, manifest }: ArchiveFolder,
  step: number,
): Promise<Difference[]> {
  const differences: Difference[] = []
  const relations = new Map<number, Line>()
  for await (const { text } of readLines(folder, 'bug_relations')) {
    const line = JSON.parse(text) as Line
    relations.set(line.id, line)
  }
  const chosen = (id: number) => id % step === 0
  const comments = await groupByBug(folder, 'comments', chosen)
  const attachments = await groupByBug(folder, 'attachments', chosen)
  const history = await groupByBug(folder, 'history', chosen)
  let batch: Line[] = []
  const flush = async () => {
    const ids = batch.map(({ id }) => `id=${id}`).join('&')
    const { bugs } = (await read(tracker, `/bug?${ids}&include_fields=_all`)) as { bugs: Line[] }
    const shown = new Map(bugs.map((bug) => [bug.id, bug]))
    for (const line of batch) {
      const relation = relations.get(line.id) ?? { depends_on: [], regressed_by: [], dupe_of: null }
      compare(differences, `bug ${line.id}`, { ...line, ...relation }, shown.get(line.id))
      await compareParts(tracker, differences, line.id, {
        comments: comments.get(line.id) ?? [],
        attachments: attachments.get(line.id) ?? [],
        history: history.get(line.id) ?? [],
      })
    }
    batch = []
  }
  for await (const { number, text } of readLines(folder, 'bugs')) {
    const line = JSON.parse(text) as Line
    if (chosen(line.id)) {
      batch.push(line)
    }
    if (batch.length === BATCH) {
      await flush()
      showProgress('comparing bugs', number, manifest.parts.bugs?.lines ?? 0)
    }
  }
  if (batch.length > 0) {
    await flush()
  }
  return differences
}

async function groupByBug(
  folder: string,
  part: string,
  chosen: (bug: number) => boolean,
): Promise<Map<number, Line[]>> {
  const byBug = new Map<number, Line[]>()
  for await (const { text } of readLines(folder, part)) {
    const line = JSON.parse(text) as Line
    const bug = Number(line.bug_id)
    if (chosen(bug)) {
      byBug.set(bug, [...(byBug.get(bug) ?? []), line])
    }
  }
  return byBug
}

async function compareParts(
  tracker: Tracker,
  differences: Difference[],
  bug: number,
  archived: Record<'comments' | 'attachments' | 'history', Line[]>,
): Promise<void> {
  const told = (await read(tracker, `/bug/${bug}/comment`)) as {
    bugs: Record<string, { comments: (Line & { raw_text: string })[] }>
  }
  const comments = new Map(told.bugs[bug]?.comments.map((one) => [one.id, one]))
  for (const {
    id,
    bug_id,
    count,
    creator,
    creation_time,
    is_private,
    tags,
    text,
  } of archived.comments) {
    const shown = comments.get(id)
    const line = { id, bug_id, count, creator, creation_time, is_private, tags, raw_text: text }
    compare(differences, `comment ${id}`, line, shown)
  }
  if (archived.attachments.length > 0) {
    const { bugs } = (await read(tracker, `/bug/${bug}/attachment?exclude_fields=data`)) as {
      bugs: Record<string, Line[]>
    }
    const shown = new Map(bugs[bug]?.map((one) => [one.id, one]))
    for (const { digest: _, link_url: __, ...line } of archived.attachments) {
      compare(differences, `attachment ${line.id}`, line, shown.get(line.id))
    }
  }
  const { bugs } = (await read(tracker, `/bug/${bug}/history`)) as {
    bugs: { history: { when: string; who: string; changes: Line[] }[] }[]
  }
  const shown = (bugs[0]?.history ?? []).flatMap(({ when, who, changes }) =>
    changes.map(
      ({ field_name, removed, added }) => `${when} ${who} ${field_name} ${removed} ${added}`,
    ),
  )
  const expected = archived.history.map(
    ({ when, who, field_name, removed, added }) =>
      `${when} ${who} ${field_name} ${removed} ${added}`,
  )
  const lacking = expected.filter((one) => !shown.includes(one))
  if (lacking.length > 0 || shown.length !== expected.length) {
    const change = {
      member: 'history',
      archived: lacking[0] ?? expected.length,
      shown: shown.length,
    }
    differences.push({ thing: `bug ${bug}`, ...change })
  }
}

function compare(
  differences: Difference[],
  thing: string,
  line: Record<string, unknown>,
  shown: Line | undefined,
): void {
  if (shown === undefined) {
    differences.push({ thing, member: 'id', archived: line.id, shown: undefined })
    return
  }
  for (const [member, archived] of Object.entries(line)) {
    if (member in shown && !HIDDEN.has(member)) {
      const [one, other] = [archived, shown[member]].map((value) => normalize(member, value))
      if (JSON.stringify(one) !== JSON.stringify(other)) {
        differences.push({ thing, member, archived, shown: shown[member] })
      }
    }
  }
}

function normalize(member: string, value: unknown): unknown {
  const isCustom = member.startsWith('cf_')
  if (Array.isArray(value) && (isCustom || SETS.has(member))) {
    return value.map(String).sort()
  }
  // the API has numbers of custom fields as texts
  if (isCustom && typeof value === 'number') {
    return String(value)
  }
  // nobody is null in archives
  return typeof value === 'boolean' ? Number(value) : (value ?? '')
}

async function read(tracker: Tracker, path: string): Promise<unknown> {
  return (await tracker.request('GET', path)).json()
}
