import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { showProgress } from '../progress.ts'
import type { Notes } from '../source/notes.ts'
import type { SourceAttachment, SourceBug } from '../source/shapes.ts'
import type { RawBugs } from './raw-bugs.ts'
import { type Members, readId, readList, readMembers, readText } from './read.ts'
import { readAttachment, readBug, readComments, readHistory } from './read-bug.ts'
import { Refusal, type RestSource } from './rest.ts'
import { storeFile } from './store-file.ts'

/** Bugs of one request: as many as servers answer soon. */
const BATCH = 25

type Fetching = {
  readonly rest: RestSource
  readonly raw: RawBugs
  /** Where the bytes of attachments go, under their digests. */
  readonly files: string
  readonly notes: Notes
}

/**
 * Fetches bugs by number from behind `after` on, with all that belongs to them: those that have changed since, or all.
 * Bugs that are there in their latest state are passed over. `saved` is told how far it is, after each batch that is on
 * the disk. Returns how many were new.
 */
export async function fetchBugs(
  fetching: Fetching,
  { after, since }: { readonly after: number; readonly since: string | null },
  saved: (after: number) => void,
): Promise<number> {
  let [last, count] = [after, 0]
  for (;;) {
    const page = await listBugs(fetching.rest, last, since)
    if (page.length === 0) {
      return count
    }
    const fresh = page.filter(
      ({ id, bug }) =>
        fetching.raw.changedAt(id) !== String(readBug(bug, NO_PARTS)?.last_change_time),
    )
    if (fresh.length > 0) {
      const bugs = await completeBugs(fetching, fresh)
      fetching.raw.append(bugs)
      count += bugs.length
    }
    last = page.at(-1)?.id ?? last
    saved(last)
    showProgress(since === null ? 'bugs' : 'changed bugs', fetching.raw.size, 0)
  }
}

const NO_PARTS = { comments: [], history: [], attachments: [] }

type Listed = { readonly id: number; readonly bug: Members }

async function listBugs(rest: RestSource, after: number, since: string | null): Promise<Listed[]> {
  const query = new URLSearchParams({
    ...{ include_fields: '_all', order: 'bug_id', limit: String(BATCH) },
    ...{ f1: 'bug_id', o1: 'greaterthan', v1: String(after) },
    ...(since !== null && { last_change_time: since }),
  })
  const { bugs } = await rest.get('bug', query)
  const all = readList(bugs).flatMap((value) => {
    const bug = readMembers(value)
    const id = readId(bug.id)
    return id === null ? [] : [{ id, bug }]
  })
  const behind = all.filter(({ id }) => id > after).sort((a, b) => a.id - b.id)
  if (all.length > 0 && behind.length === 0) {
    throw new Error('the source does not search bugs by number (f1=bug_id)')
  }
  return behind
}

async function completeBugs(fetching: Fetching, listed: readonly Listed[]): Promise<SourceBug[]> {
  const ids = listed.map(({ id }) => id)
  const comments = await readOfBugs(fetching, ids, 'comment', (answer, id) =>
    readComments(readMembers(readMembers(answer.bugs)[id]).comments),
  )
  const history = await readOfBugs(fetching, ids, 'history', (answer, id) => {
    const own = readList(answer.bugs).find((one) => readId(readMembers(one).id) === id)
    return readHistory(readMembers(own).history)
  })
  const attachments = await readOfBugs(fetching, ids, 'attachment', (answer, id) =>
    readList(readMembers(answer.bugs)[id]).map(readMembers),
  )
  const bugs: SourceBug[] = []
  for (const { id, bug } of listed) {
    const files: SourceAttachment[] = []
    for (const given of attachments.get(id) ?? []) {
      const attachment = readAttachment(given)
      if (attachment !== null) {
        files.push({ ...attachment, ...(await fetchFile(fetching, attachment)) })
      }
    }
    const parts = { comments: comments.get(id) ?? [], history: history.get(id) ?? [] }
    const read = readBug(bug, { ...parts, attachments: files })
    if (read === null) {
      const reason = 'bugs without a product or a time are left out'
      fetching.notes.add(reason, `bug ${id}`)
    } else {
      bugs.push(read)
    }
  }
  return bugs
}

/** A part of several bugs at once, or one by one where the source refuses one of them. */
async function readOfBugs<Part>(
  { rest, notes }: Fetching,
  ids: readonly number[],
  name: 'comment' | 'history' | 'attachment',
  read: (answer: Members, id: number) => Part,
): Promise<Map<number, Part>> {
  const [first] = ids
  const query = new URLSearchParams(ids.slice(1).map((id) => ['ids', String(id)]))
  if (name === 'attachment') {
    query.set('exclude_fields', 'data')
  }
  try {
    const answer = await rest.get(`bug/${first}/${name}`, query)
    return new Map(ids.map((id) => [id, read(answer, id)]))
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error
    }
    if (ids.length === 1) {
      notes.add(`the source refuses ${name}s (${error.code})`, `bug ${first}`)
      return new Map()
    }
    const all = new Map<number, Part>()
    for (const id of ids) {
      for (const [key, part] of await readOfBugs({ rest, notes } as Fetching, [id], name, read)) {
        all.set(key, part)
      }
    }
    return all
  }
}

/** The bytes of an attachment never change. */
async function fetchFile(
  { rest, raw, files, notes }: Fetching,
  { id, size }: Pick<SourceAttachment, 'id' | 'size'>,
): Promise<Pick<SourceAttachment, 'digest' | 'size'>> {
  const known = raw.fileOf(id)
  if (known !== undefined && existsSync(join(files, known.digest))) {
    return known
  }
  const query = new URLSearchParams({ include_fields: 'id,data' })
  let data = ''
  try {
    const { attachments } = await rest.get(`bug/attachment/${id}`, query)
    data = readText(readMembers(readMembers(attachments)[id]).data)
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error
    }
    notes.add(`the source refuses bytes (${error.code})`, `attachment ${id}`)
    return storeFile(files, { id, size }, null)
  }
  return storeFile(files, { id, size }, Buffer.from(data, 'base64'))
}
