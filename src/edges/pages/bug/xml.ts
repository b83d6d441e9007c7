import type { Ctx } from '../../../platform/context.ts'
import { streamJson } from '../../../platform/lib/stream.ts'
import { countSender } from '../../../platform/load/readers.ts'
import { getBug } from '../../../tracker/bugs/read/get.ts'
import { admitBugComments, readComments } from '../../../tracker/comments/get.ts'
import { ask, type PageRequest } from '../page.ts'

type Bugs = Awaited<ReturnType<typeof readBugs>>
type Bug = Bugs['bugs'][number]
type Comment =
  ReturnType<typeof readComments> extends AsyncGenerator<infer Read>
    ? Read extends { comment: infer One }
      ? One
      : never
    : never

/** Bugs in the XML that importers of older trackers read; those that cannot be had say why. */
export async function writeBugs(request: PageRequest, ids: readonly string[]): Promise<Response> {
  const { escapeXml } = await import('../../../platform/lib/escape-xml.ts')
  const { bugs, faults } = await readBugs(request, ids)
  const { ctx } = request
  await admitBugComments(
    ctx,
    bugs.map(({ id = 0 }) => id),
  )
  const write = (name: string, content: string, attributes: Attributes = {}) =>
    `<${name}${Object.entries(attributes)
      .map(([key, value]) => ` ${key}="${escapeXml(String(value)).replaceAll('"', '&quot;')}"`)
      .join('')}>${content}</${name}>`
  const text: WriteText = (name, value, attributes) =>
    write(name, escapeXml(String(value)), attributes)
  const { baseUrl, settings } = request.ctx
  const about = {
    version: '5.0.4',
    urlbase: `${baseUrl}/`,
    maintainer: settings.MAINTAINER,
  }
  const [start, end] = write('bugzilla', SPLIT, about).split(SPLIT)
  const pieces = async function* () {
    yield `<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>\n${start}\n`
    for await (const { bug, comments } of withComments(request.ctx, bugs)) {
      const [before, behind] = write('bug', elementsOf(bug, text, write).join('\n')).split(SPLIT)
      yield `${before}`
      for await (const comment of comments) {
        yield `${commentElement(comment, text, write)}\n`
      }
      yield `${behind}\n`
    }
    for (const { id, faultCode } of faults) {
      yield `${write('bug', text('bug_id', id), { error: ERRORS[faultCode] ?? 'NotFound' })}\n`
    }
    yield `${end}\n`
  }
  return streamJson(countSender(pieces()), 'bugs as XML', 'text/xml; charset=utf-8')
}

/** Where the comments of a bug stand, whose texts hold no such character. */
const SPLIT = '\u0000'

/** Bugs in their order with their comments, which are read together while the IDs ascend. */
async function* withComments(ctx: Ctx, bugs: readonly Bug[]) {
  for (let rest = bugs; rest.length > 0; ) {
    const end = rest.findIndex(({ id = 0 }, n) => n > 0 && id <= (rest[n - 1]?.id ?? 0))
    const run = end < 0 ? rest : rest.slice(0, end)
    rest = rest.slice(run.length)
    const all = readComments(
      ctx,
      run.map(({ id = 0 }) => id),
    )
    let next = await all.next()
    for (const bug of run) {
      const comments = async function* () {
        for (; !next.done && next.value.bugId === bug.id; next = await all.next()) {
          yield next.value.comment
        }
      }
      yield { bug, comments: comments() }
    }
  }
}

const ERRORS: Readonly<Record<number, string>> = { 100: 'InvalidBugId', 102: 'NotPermitted' }

function readBugs(request: PageRequest, [first = '', ...ids]: readonly string[]) {
  const include_fields = ['_default', 'attachments']
  // of very many people on CC, no more than the XML names would stay in memory until it is sent
  const exclude_fields = ['cc_detail']
  const given = { ids, permissive: true, include_fields, exclude_fields }
  return ask(request, getBug, { id_or_alias: first, ...given })
}

type Attributes = Readonly<Record<string, string | number>>
type WriteText = (name: string, value: unknown, attributes?: Attributes) => string
type Write = (name: string, content: string, attributes?: Attributes) => string

/** In the order of the document type. What is empty has no element. */
function elementsOf(bug: Bug, text: WriteText, write: Write): string[] {
  const one = (name: string, value: unknown, attributes?: Attributes) =>
    value === undefined || value === null || value === '' ? [] : [text(name, value, attributes)]
  const person = (name: string, detail: { name?: string; real_name?: string } | undefined) =>
    detail === undefined ? [] : [text(name, detail.name, { name: detail.real_name ?? '' })]
  const list = (name: string, values: readonly unknown[] | undefined) =>
    (values ?? []).map((value) => text(name, value))
  return [
    ...one('bug_id', bug.id),
    ...list('alias', [bug.alias].flat().filter(Boolean)),
    ...one('creation_ts', stamp(bug.creation_time)),
    ...one('short_desc', bug.summary),
    ...one('delta_ts', stamp(bug.last_change_time)),
    ...one('reporter_accessible', Number(bug.is_creator_accessible)),
    ...one('cclist_accessible', Number(bug.is_cc_accessible)),
    ...one('classification', bug.classification),
    ...one('product', bug.product),
    ...one('component', bug.component),
    ...one('version', bug.version),
    ...one('rep_platform', bug.platform),
    ...one('op_sys', bug.op_sys),
    ...one('bug_status', bug.status),
    ...one('resolution', bug.resolution),
    ...one('dup_id', bug.dupe_of),
    ...list('see_also', bug.see_also),
    ...one('bug_file_loc', bug.url),
    ...one('status_whiteboard', bug.whiteboard),
    ...one('keywords', (bug.keywords ?? []).join(', ')),
    ...one('priority', bug.priority),
    ...one('bug_severity', bug.severity),
    ...one('bug_type', bug.type),
    ...one('target_milestone', bug.target_milestone),
    ...list('dependson', bug.depends_on),
    ...list('blocked', bug.blocks),
    ...one('everconfirmed', Number(bug.is_confirmed)),
    ...person('reporter', bug.creator_detail),
    ...person('assigned_to', bug.assigned_to_detail),
    ...list('cc', bug.cc),
    ...one('estimated_time', bug.estimated_time),
    ...one('remaining_time', bug.remaining_time),
    ...one('actual_time', bug.actual_time),
    ...one('deadline', bug.deadline),
    ...person('qa_contact', bug.qa_contact_detail),
    ...Object.entries(bug).flatMap(([name, value]) =>
      name.startsWith('cf_') ? (Array.isArray(value) ? list(name, value) : one(name, value)) : [],
    ),
    ...list('group', bug.groups),
    ...flags(bug.flags, write),
    SPLIT,
    ...(bug.attachments ?? []).map((file) => attachmentElement(file, text, write)),
  ]
}

function commentElement(comment: Comment, text: WriteText, write: Write): string {
  const parts = [
    text('commentid', comment.id),
    text('comment_count', comment.count),
    ...(comment.attachment_id === null ? [] : [text('attachid', comment.attachment_id)]),
    text('who', comment.creator),
    text('bug_when', stamp(comment.creation_time)),
    text('thetext', comment.text),
  ]
  return write('long_desc', parts.join('\n'), { isprivate: Number(comment.is_private) })
}

function attachmentElement(
  file: NonNullable<Bug['attachments']>[number],
  text: WriteText,
  write: Write,
): string {
  const parts = [
    text('attachid', file.id),
    text('date', stamp(file.creation_time)),
    text('delta_ts', stamp(file.last_change_time)),
    text('desc', file.summary),
    text('filename', file.file_name),
    text('type', file.content_type),
    text('size', file.size),
    text('attacher', file.creator),
    ...flags(file.flags, write),
  ]
  return write('attachment', parts.join('\n'), {
    isobsolete: Number(file.is_obsolete),
    ispatch: Number(file.is_patch),
    isprivate: Number(file.is_private),
  })
}

function flags(list: Bug['flags'] = [], write: Write): string[] {
  return list.map(({ id, name = '', type_id, status = '', setter = '', requestee }) =>
    write('flag', '', {
      name,
      id: id ?? 0,
      type_id: type_id ?? 0,
      status,
      setter,
      ...(requestee !== undefined && { requestee }),
    }),
  )
}

/** `2026-01-31 10:00:00 +0000` */
function stamp(at: string | undefined): string {
  return (at ?? '').replace('T', ' ').replace('Z', ' +0000')
}
