import { raw } from 'hono/html'
import type { PageRequest } from '../page.ts'
import { Form, OptionList, Tick } from '../parts/form.tsx'
import { EditFields } from './edit.tsx'
import { FlagFields, flagValues } from './flag-controls.tsx'
import { controlsOf } from './form.ts'
import type { BugPage } from './load.ts'
import type { Opened, State } from './state.ts'
import { tagOf } from './tag.ts'

type FormProps = { request: PageRequest; page: BugPage; state: State }

/** What a form is made from before anybody types. */
export function openForm(request: PageRequest, page: BugPage): Opened {
  const { bug, isEditing, comments, history } = page
  const may = new Set(bug.permissions?.fields)
  const isOnCc = (bug.cc ?? []).includes(request.viewer?.login ?? '')
  const controls = isEditing ? controlsOf(page) : []
  const before = {
    status: bug.status ?? '',
    ...(may.has('resolution') && { resolution: bug.resolution ?? '', dupe_of: '' }),
    cc_me: isOnCc ? '1' : '',
    ...Object.fromEntries(controls.map(({ key, value }) => [key, value])),
    ...(isEditing && flagValues(page)),
  }
  const lastChange = history.entries.at(-1)?.when ?? ''
  const changes = history.entries
    .filter(({ when }) => when === lastChange)
    .flatMap((entry) => entry.changes ?? [])
  return {
    before,
    tag: tagOf(request, bug),
    seen: `${comments.at(-1)?.count ?? -1} ${lastChange} ${changes.length}`,
  }
}

/** The one form of a bug: a comment with the next status, and all fields while they are edited. */
export function BugForm({ request, page, state }: FormProps) {
  const { bug, isEditing } = page
  const { before, tag, seen } = state.opened ?? openForm(request, page)
  const may = new Set(bug.permissions?.fields)
  const number = bug.id ?? 0
  return (
    <Form request={request} action={`/bug/${number}`} id="change" class="change">
      <input type="hidden" name="before" value={JSON.stringify(before)} />
      <input type="hidden" name="tag" value={tag} />
      <input type="hidden" name="seen" value={seen} />
      {isEditing && <input type="hidden" name="edit" value="1" />}
      {isEditing && (
        <>
          <EditFields state={state} controls={controlsOf(page)} />
          <FlagFields page={page} state={state} />
        </>
      )}
      <h2>{isEditing ? 'With a comment' : 'Comment'}</h2>
      <Refused state={state} name="comment" />
      <label>
        <span class="muted">
          Markdown; <code>bug 12</code> and <code>comment 3</code> become links
        </span>
        <textarea id="comment" name="comment" rows={isEditing ? 4 : 6} aria-label="Comment">
          {state.typed?.comment ?? quoteOf(page)}
        </textarea>
      </label>
      <div id="preview" class="prose" aria-live="polite">
        {state.preview !== undefined && raw(state.preview)}
      </div>
      <StatusFields page={page} state={state} />
      <div class="bar">
        <Tick label="I am on the CC list" {...tickedIn(state, 'cc_me', before.cc_me === '1')} />
        {may.has('comment_is_private') && (
          <Tick label="Private comment" {...tickedIn(state, 'private')} />
        )}
        {may.has('minor_update') && (
          <Tick label="Minor, send no mail" {...tickedIn(state, 'minor')} />
        )}
        {may.has('work_time') && (
          <label>
            Hours worked{' '}
            <input
              name="work_time"
              inputmode="decimal"
              size={5}
              value={state.typed?.work_time ?? ''}
            />
            <Refused state={state} name="work_time" />
          </label>
        )}
      </div>
      <div class="bar">
        <button type="submit">{isEditing ? 'Save changes' : 'Save'}</button>
        <button type="submit" class="quiet" formaction={`/bug/${number}/preview`}>
          Preview
        </button>
        {isEditing ? (
          <a href={`/bug/${number}`}>Cancel</a>
        ) : (
          <a href={`/bug/${number}?edit=1`} class="edit">
            Edit all fields
          </a>
        )}
      </div>
    </Form>
  )
}

function StatusFields({ page, state }: { page: BugPage; state: State }) {
  const { bug, choices } = page
  const { statuses = [], fields = [] } = bug.permissions ?? {}
  const resolutions = choices.get('resolution')
  const mayResolve = fields.includes('resolution') && resolutions !== undefined
  if (statuses.length === 0 && !mayResolve) {
    return null
  }
  const status = state.typed?.status ?? bug.status
  const resolution = state.typed?.resolution ?? bug.resolution ?? ''
  return (
    <div class="fields">
      <label>
        Status
        <select name="status">
          <option value={bug.status}>{bug.status}</option>
          {statuses.map(({ name, comment_required: needsComment }) => (
            <option value={name} selected={name === status}>
              {name}
              {needsComment && ' (with a comment)'}
            </option>
          ))}
        </select>
        <Refused state={state} name="status" />
      </label>
      {mayResolve && (
        <>
          <label>
            Resolution, when closed
            <select name="resolution">
              <OptionList values={['', ...resolutions, resolution]} chosen={resolution} blank="–" />
            </select>
            <Refused state={state} name="resolution" />
          </label>
          <label>
            Duplicate of
            <input
              name="dupe_of"
              inputmode="numeric"
              placeholder="Number of a bug"
              value={state.typed?.dupe_of ?? ''}
            />
            <Refused state={state} name="dupe_of" />
          </label>
        </>
      )}
    </div>
  )
}

function Refused({ state, name }: { state: State; name: string }) {
  return state.refusal?.field === name ? (
    <small class="refused">{state.refusal.message}</small>
  ) : null
}

/** A box as it was sent, or as the bug has it. */
function tickedIn({ typed }: State, name: string, isOn = false) {
  return { name, value: '1', checked: typed === undefined ? isOn : typed[name] === '1' }
}

/** The text of a comment that is answered, as a quotation. */
function quoteOf({ quoted: comment, people }: BugPage): string {
  if (comment === undefined) {
    return ''
  }
  const { real_name: realName = '' } = comment.creator_detail ?? people.get(comment.creator) ?? {}
  const lines = (comment.raw_text ?? '').trimEnd().split('\n')
  const name = realName === '' ? comment.creator : realName
  return `(In reply to ${name} from comment ${comment.count})\n${lines.map((line) => `> ${line}`).join('\n')}\n\n`
}
