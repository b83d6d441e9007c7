import { bugNotVisible } from '../../../platform/access/faults.ts'
import { joinReads } from '../../../platform/db/join-reads.ts'
import { Fault } from '../../../platform/faults/fault.ts'
import { changeBugs } from '../../../tracker/bugs/change/change.ts'
import { bugChanged } from '../../../tracker/bugs/model/faults.ts'
import { renderComment } from '../../../tracker/comments/render.ts'
import { ask, fieldText, type PageRequest, redirectTo } from '../page.ts'
import { refusedField } from '../parts/refused-field.ts'
import { flagChanges } from './flag-controls.tsx'
import { changesBetween, type FormValues, readValues, retype } from './form.ts'
import { type BugPage, type Comment, loadBugPage } from './load.ts'
import type { HistoryEntry } from './load-history.ts'
import { openForm } from './reply.tsx'
import { BugDocument } from './show.tsx'
import type { Opened, State } from './state.ts'
import { UNCOMPARED } from './tag.ts'

/** What a form has besides what it was filled with. */
const TYPED_ANEW = ['comment', 'private', 'minor', 'work_time']

/** Of the members of a change, those that say how it is made. */
const isHow = (name: string) => name === 'minor_update'

type Collision = State & Required<Pick<State, 'opened' | 'typed' | 'meanwhile'>>

type Sent = { readonly opened: Opened; readonly typed: FormValues; readonly isEditing: boolean }

/** Sends what was changed as one update, which is refused where the bug is no longer what its reader saw. */
export async function sendChange(request: PageRequest) {
  const { id = '' } = request.path
  const sent = readSent(request)
  const members = membersOf(request, sent)
  if (Object.keys(members).every(isHow)) {
    return redirectTo(`/bug/${encodeURIComponent(id)}?saved=`)
  }
  try {
    const asked = { ctx: { ...request.ctx, ifMatch: sent.opened.tag } }
    const parameters = { id_or_alias: id, exclude_fields: UNCOMPARED, ...members }
    const { bugs } = await ask(asked, changeBugs, parameters)
    const names = Object.keys(bugs[0]?.changes ?? {})
    return leadToSaved(request, members, typedComment(sent) === '' ? names : [...names, 'comment'])
  } catch (error) {
    if (!(error instanceof Fault)) {
      throw error
    }
    return showAgain(request, sent, error)
  }
}

function leadToSaved(
  { path: { id = '' } }: PageRequest,
  { minor_update: isMinor }: Record<string, unknown>,
  names: readonly string[],
) {
  const mail = isMinor === true ? '&mail=0' : ''
  return redirectTo(
    `/bug/${encodeURIComponent(id)}?saved=${encodeURIComponent(names.join())}${mail}`,
  )
}

/** Shows the comment as it would look: within the page, or for the script alone. */
export async function sendPreview(request: PageRequest) {
  const { id = '' } = request.path
  const sent = readSent(request)
  const text = typedComment(sent)
  const { html } = text === '' ? { html: '' } : await ask(request, renderComment, { text, id })
  if (request.c.req.header('accept')?.includes('application/json')) {
    return request.c.json({ html })
  }
  const again = rereading(request)
  const page = await loadBugPage(again, id, sent.isEditing)
  const { opened, typed } = sent
  return <BugDocument request={again} page={page} state={{ opened, typed, preview: html }} />
}

async function showAgain(request: PageRequest, sent: Sent, error: Fault) {
  const again = rereading(request)
  const page = await loadBugPage(again, request.path.id ?? '', sent.isEditing)
  if (error.kind === bugChanged) {
    const state = stateAfterCollision(again, page, sent)
    if (isSavedAlready(request, page, { sent, state })) {
      const members = membersOf(request, sent)
      return leadToSaved(
        request,
        members,
        Object.keys(members).filter((name) => !isHow(name)),
      )
    }
    request.c.status(error.status)
    return <BugDocument request={again} page={page} state={state} />
  }
  request.c.status(error.status)
  const field = refusedField(error, new Map(Object.entries(sent.typed)))
  const state = { ...sent, refusal: { message: explain(error), field } }
  return <BugDocument request={again} page={page} state={state} />
}

/**
 * Whether the form has arrived before, as by a second click while the first was under way: its author has written its
 * comment meanwhile, and nothing of it is left to change.
 */
function isSavedAlready(
  request: PageRequest,
  { bug }: BugPage,
  { sent, state }: { sent: Sent; state: Collision },
): boolean {
  const { opened, typed, meanwhile } = state
  const own = request.viewer?.login
  const text = typedComment(sent).trimEnd()
  const written = [own, typed.private === '1', text].join()
  const isWritten =
    text === ''
      ? (typed.work_time ?? '').trim() === '' && meanwhile.history.some(({ who }) => who === own)
      : meanwhile.comments.some(
          (one) => [one.creator, one.is_private, one.raw_text?.trimEnd()].join() === written,
        )
  const isMarked = String(bug.dupe_of ?? '') === (typed.dupe_of ?? '').trim()
  const rest = { ...typed, comment: '', work_time: '', ...(isMarked && { dupe_of: '' }) }
  return isWritten && Object.keys(membersOf(request, { ...sent, opened, typed: rest })).every(isHow)
}

/** What others did, beside what was typed: the same form sent again would now be accepted. */
function stateAfterCollision(
  request: PageRequest,
  page: BugPage,
  { opened: old, typed }: Sent,
): Collision {
  const opened = openForm(request, page)
  const kept = Object.keys(typed).filter((key) => typed[key] !== old.before[key])
  const isEnded = (key: string) =>
    key in opened.before && opened.before[key] !== (old.before[key] ?? '')
  const retyped = kept.map((key) => {
    const [before = '', now = ''] = [old.before[key], opened.before[key]]
    const own = typed[key] ?? ''
    return { key, own, merged: isEnded(key) ? retype(key, { before, typed: own, now }) : null }
  })
  return {
    opened,
    typed: {
      ...opened.before,
      ...Object.fromEntries(retyped.map(({ key, own, merged }) => [key, merged ?? own])),
    },
    meanwhile: listMeanwhile(page, old.seen),
    ended: retyped.flatMap(({ key, merged }) => (merged === null && isEnded(key) ? [key] : [])),
  }
}

function listMeanwhile({ comments, history }: BugPage, seen: string) {
  const [lastComment = '-1', lastChange = '', atThatTime = '0'] = seen.split(' ')
  let known = Number(atThatTime)
  const entries = history.entries.flatMap((entry): HistoryEntry[] => {
    const { when = '', changes = [] } = entry
    if (when < lastChange) {
      return []
    }
    const left = when === lastChange ? changes.slice(known) : changes
    known -= changes.length - left.length
    return left.length === 0 ? [] : [{ ...entry, changes: left }]
  })
  return {
    history: entries,
    comments: comments.filter(({ count = 0 }: Comment) => count > Number(lastComment)),
  }
}

function readSent(request: PageRequest): Sent {
  const before = parseBefore(fieldText(request, 'before'))
  return {
    opened: { before, tag: fieldText(request, 'tag'), seen: fieldText(request, 'seen') },
    typed: readValues(request.form, [...Object.keys(before), ...TYPED_ANEW]),
    isEditing: fieldText(request, 'edit') === '1',
  }
}

/** Another text than this service wrote stands for a form without fields. */
function parseBefore(json: string): FormValues {
  try {
    const parsed: unknown = JSON.parse(json)
    return Object.fromEntries(
      Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {}).map(
        ([name, value]) => [name, String(value)],
      ),
    )
  } catch {
    return {}
  }
}

function typedComment({ typed }: Sent): string {
  return (typed.comment ?? '').trim() === '' ? '' : (typed.comment ?? '')
}

function membersOf({ viewer }: PageRequest, sent: Sent): Record<string, unknown> {
  const { typed } = sent
  const { before } = sent.opened
  const comment = typedComment(sent)
  const flags = flagChanges(before, typed)
  const members = changesBetween(before, typed)
  const workTime = (typed.work_time ?? '').trim()
  const isPrivate = typed.private === '1'
  return {
    ...members,
    ...statusMembers(before, typed),
    ...ccMembers(members.cc, before, typed, viewer?.login ?? ''),
    ...(flags.length > 0 && { flags }),
    ...(workTime !== '' && { work_time: workTime }),
    ...((comment !== '' || workTime !== '') && {
      comment: { body: comment, is_private: isPrivate },
    }),
    ...(typed.minor === '1' && { minor_update: true }),
  }
}

/** An original says enough of status and resolution; a resolution counts with the status that was chosen. */
function statusMembers(before: FormValues, typed: FormValues): Record<string, unknown> {
  const isChanged = (name: string) => name in before && typed[name] !== before[name]
  const original = (typed.dupe_of ?? '').trim()
  return {
    ...(isChanged('status') && typed.status !== '' && { status: typed.status }),
    ...(original !== '' && 'dupe_of' in before
      ? { dupe_of: original }
      : isChanged('resolution') && { resolution: typed.resolution }),
  }
}

type Edit = { readonly add: readonly string[]; readonly remove: readonly string[] }

function ccMembers(list: unknown, before: FormValues, typed: FormValues, own: string) {
  const { add, remove } = (list ?? { add: [], remove: [] }) as Edit
  const isChanged = typed.cc_me !== before.cc_me
  const edit = {
    add: [...add, ...(isChanged && typed.cc_me === '1' ? [own] : [])],
    remove: [...remove, ...(isChanged && typed.cc_me !== '1' ? [own] : [])],
  }
  return edit.add.length + edit.remove.length === 0 ? {} : { cc: edit }
}

/** The page after a form reads like any other, in few trips. */
export function rereading(request: PageRequest): PageRequest {
  return { ...request, ctx: { ...request.ctx, session: joinReads(request.ctx.session) } }
}

/** A bug that a field names is no page that is closed to the reader. */
function explain({ kind, message }: Fault): string {
  return kind === bugNotVisible ? `${message} Nothing was saved.` : message
}
