import type { PropsWithChildren } from 'hono/jsx'
import { changeBugs } from '../../../tracker/bugs/change/change.ts'
import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import { getFields } from '../../../tracker/fields/get.ts'
import { toPublicName } from '../../../tracker/fields/names.ts'
import { ask, askOnce, fieldText, orAgain, type PageRequest, redirectTo } from '../page.ts'
import { CommentField, Form, LineInput, OptionList, Tick } from '../parts/form.tsx'
import { labelOf } from '../parts/labels.ts'
import { Refusal } from '../parts/refusal.tsx'
import { linkToList } from './query.ts'

/** Fields of which all ticked bugs get one value. */
const SELECTS = ['bug_status', 'resolution', 'bug_type', 'priority', 'bug_severity'] as const
const TEXTS = [
  ...['dupe_of', 'assigned_to', 'qa_contact', 'product', 'component', 'version'],
  ...['target_milestone', 'whiteboard'],
]
/** Lists that they get more of, or less. */
const LISTS = ['keywords', 'cc', 'groups', 'depends_on', 'blocks']

/** What a list whose bugs can be ticked needs beside its columns. */
export const READ_FOR_EDIT = ['permissions']

/** The values of the select fields, for the form. */
export async function loadChoices(request: PageRequest) {
  const { fields } = await ask(request, getFields, {
    names: SELECTS,
    include_fields: ['name', 'display_name', 'values.name'],
  })
  return SELECTS.flatMap((name) => fields.find((one) => one.name === name) ?? [])
}

type Choices = Awaited<ReturnType<typeof loadChoices>>

/**
 * The fields that the reader may change in one of the bugs at least; the change is refused for all if one of them
 * refuses.
 */
export function EditMany({
  request,
  bugs,
  choices,
}: {
  request: PageRequest
  bugs: readonly BugObject[]
  choices: Choices
}) {
  const moves = bugs.flatMap(({ permissions }) => permissions?.statuses ?? [])
  const statuses = new Set(moves.map(({ name }) => name))
  const allowed = new Set(bugs.flatMap(({ permissions }) => permissions?.fields ?? []))
  if (statuses.size > 0) {
    allowed.add('status')
  }
  if (allowed.size === 0) {
    return <Refusal message="You may change none of these bugs." />
  }
  const isOffered = (name: string) => allowed.has(name)
  return (
    <fieldset>
      <legend>
        <h2>Change the bugs that are ticked</h2>
      </legend>
      <p class="muted">What is left empty stays as it is. All of the bugs change, or none.</p>
      <div class="fields">
        {choices
          .filter(({ name = '' }) => isOffered(toPublicName(name)))
          .map(({ name = '', display_name: label, values = [] }) => {
            const all = values.flatMap((value) => value.name || [])
            const offered = name === 'bug_status' ? all.filter((one) => statuses.has(one)) : all
            return (
              <label>
                {label}
                <select name={name}>
                  <OptionList
                    values={['', ...offered]}
                    chosen={fieldText(request, name)}
                    blank="as it is"
                  />
                </select>
              </label>
            )
          })}
        {TEXTS.filter(isOffered).map((name) => (
          <LineInput sent={request} label={labelOf(name)} name={name} />
        ))}
        {LISTS.filter(isOffered).map((name) => (
          <>
            <LineInput sent={request} label={`${labelOf(name)}: add`} name={`${name}.add`} />
            <LineInput sent={request} label={`${labelOf(name)}: remove`} name={`${name}.remove`} />
          </>
        ))}
      </div>
      <CommentField sent={request} rows={4} />
      {isOffered('comment_is_private') && (
        <Tick label="The comment is private" {...tickedIn(request, 'comment_is_private')} />
      )}
      <Tick label="Send no mail" {...tickedIn(request, 'minor_update')} />
      <button type="submit">Change these bugs</button>
    </fieldset>
  )
}

function tickedIn(request: PageRequest, name: string) {
  return { name, value: '1', checked: fieldText(request, name) !== '' }
}

/** Opens the form around a list, whose boxes are sent with it. */
export function EditForm({ request, children }: PropsWithChildren<{ request: PageRequest }>) {
  return (
    <Form request={request} isOnce action={linkToList(request.url)}>
      {children}
    </Form>
  )
}

/** The box of a bug in a list. */
export function tickOf(request: PageRequest) {
  const ticked = new Set(request.form.getAll('id'))
  return {
    label: 'Change',
    of: ({ id, summary }: BugObject) => (
      <input
        type="checkbox"
        name="id"
        value={String(id)}
        checked={ticked.has(String(id))}
        aria-label={`Bug ${id}: ${summary}`}
      />
    ),
  }
}

/**
 * Changes the ticked bugs through one update, which all of them accept or none; `again` shows the list with a refusal.
 */
export function changeMany(
  request: PageRequest,
  again: (refusal: string) => ReturnType<typeof orAgain>,
) {
  const [first, ...others] = request.form.getAll('id').map(String)
  if (first === undefined) {
    request.c.status(400)
    return again('Tick the bugs that are to change.')
  }
  return orAgain(
    request,
    async () => {
      const change = readChange(request)
      // what a comment comes without may well be wanted again, by whoever goes back to the form
      const send = 'comment' in change ? askOnce : ask
      await send(request, changeBugs, { id_or_alias: first, ids: others, ...change })
      return redirectTo(
        linkToList(request.url, { tweak: null, changed: String(others.length + 1) }),
      )
    },
    again,
  )
}

/** What was filled in, as an update of bugs takes it. */
function readChange(request: PageRequest): Record<string, unknown> {
  const typed = (name: string) => fieldText(request, name).trim()
  const given = [...SELECTS, ...TEXTS].filter((name) => typed(name) !== '')
  const lists = LISTS.map((name) => {
    const [add, remove] = ['add', 'remove'].map((kind) =>
      typed(`${name}.${kind}`)
        .split(name === 'groups' ? ',' : /[\s,]+/)
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    return [name, { ...(add?.length && { add }), ...(remove?.length && { remove }) }] as const
  }).filter(([, edit]) => Object.keys(edit).length > 0)
  const body = fieldText(request, 'comment')
  return {
    ...Object.fromEntries(given.map((name) => [name, typed(name)])),
    ...Object.fromEntries(lists),
    ...(body.trim() !== '' && {
      comment: { body, is_private: typed('comment_is_private') !== '' },
    }),
    ...(typed('minor_update') !== '' && { minor_update: true }),
  }
}
