import { maySetPrivacy } from '../../../platform/access/privacy.ts'
import { turnOwner } from '../../../platform/http/operations/caller-key.ts'
import { getAttachments } from '../../../tracker/attachments/get.ts'
import { updateAttachments } from '../../../tracker/attachments/update.ts'
import { getBug } from '../../../tracker/bugs/read/get.ts'
import { listFlagTypesOfComponent } from '../../../tracker/flags/types/list.ts'
import { PrivateMark } from '../bug/attachments.tsx'
import { flagChanges, settable } from '../bug/flag-controls.tsx'
import { readValues } from '../bug/form.ts'
import { Layout } from '../layout.tsx'
import {
  type Answer,
  ask,
  askOnce,
  behindForm,
  fieldText,
  ignoreFault,
  type PageRequest,
  redirectTo,
} from '../page.ts'
import { CommentField, Form, LineInput, OptionList, Tick } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { PersonLink } from '../parts/person.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { SHOWN_IMAGES } from './shown-images.ts'

/** Longer texts are downloaded. */
const MAX_SHOWN_BYTES = 200_000

type Attachment = Answer<typeof getAttachments>['attachments'][string]

/** An attachment with what it shows, and for those who may a form for all that is said of it. */
export async function showDetails(request: PageRequest, refusal?: string) {
  const id = request.path.id ?? ''
  const { attachments } = await ask(request, getAttachments, {
    attachment_id: id,
    exclude_fields: ['data'],
  })
  const [attachment] = Object.values(attachments)
  if (attachment === undefined) {
    return request.c.notFound()
  }
  const { summary = '', bug_id: bug, size = 0 } = attachment
  const isText = /^text\//.test(attachment.content_type ?? '') || attachment.is_patch === true
  const [text, types] = await Promise.all([
    isText && size <= MAX_SHOWN_BYTES ? readText(request, id) : null,
    request.viewer === null ? [] : listTypes(request, bug),
  ])
  return (
    <Layout
      request={request}
      title={`Attachment ${attachment.id} · ${summary}`}
      hasPatch={attachment.is_patch === true}
    >
      <h1>{attachment.is_obsolete ? <del>{summary}</del> : summary}</h1>
      <p>
        Attachment {attachment.id} of <a href={`/bug/${bug}`}>bug {bug}</a> by{' '}
        {attachment.creator_detail && <PersonLink person={attachment.creator_detail} />},{' '}
        <Moment at={attachment.creation_time} /> · {attachment.file_name} ·{' '}
        {attachment.content_type} · {size} bytes
        <PrivateMark isShown={attachment.is_private} /> ·{' '}
        <a href={`/attachment/${attachment.id}`}>Open the file</a>
      </p>
      <Refusal message={refusal} />
      {request.viewer !== null && (
        <DetailsForm request={request} attachment={attachment} types={types} />
      )}
      <Content attachment={attachment} text={text} reader={turnOwner(request.ctx)} />
    </Layout>
  )
}

/** The types of flags that attachments of the bug's component may have. */
async function listTypes(request: PageRequest, bug: number | undefined): Promise<FlagType[]> {
  const { bugs } = await ask(request, getBug, {
    id_or_alias: String(bug),
    include_fields: ['product', 'component'],
  })
  const { product, component } = bugs[0] ?? {}
  const { attachment = [] } = await ask(request, listFlagTypesOfComponent, {
    id_or_name: product,
    component,
  }).catch(ignoreFault({ attachment: [] }))
  return attachment.filter(({ is_active: isActive }) => isActive)
}

async function readText(request: PageRequest, id: string): Promise<string> {
  const { attachments } = await ask(request, getAttachments, {
    attachment_id: id,
    include_fields: ['data'],
  })
  const [attachment] = Object.values(attachments)
  return new TextDecoder().decode(Uint8Array.fromBase64(attachment?.data ?? ''))
}

type ContentProps = { attachment: Attachment; text: string | null; reader: string }

async function Content({ attachment, text, reader }: ContentProps) {
  const { id, content_type: type = '', summary = '' } = attachment
  if (SHOWN_IMAGES.includes(type)) {
    return <img src={`/attachment/${id}`} alt={summary} class="shown" />
  }
  if (text === null) {
    return null
  }
  if (attachment.is_patch) {
    const { renderPatch } = await import('./patch.ts')
    const patch = await renderPatch(text, reader)
    if (patch !== null) {
      return <section class="wide">{patch}</section>
    }
  }
  return (
    <pre class="wide">
      <code>{text}</code>
    </pre>
  )
}

type FlagType = NonNullable<Answer<typeof listFlagTypesOfComponent>['attachment']>[number]

const TICKS = [
  ['is_patch', 'a patch'],
  ['is_obsolete', 'obsolete'],
  ['is_private', 'private'],
] as const

function ticksOf({ ctx }: PageRequest) {
  return TICKS.filter(([name]) => name !== 'is_private' || maySetPrivacy(ctx.caller, false, true))
}

type FormProps = { request: PageRequest; attachment: Attachment; types: readonly FlagType[] }

function DetailsForm({ request, attachment, types }: FormProps) {
  const isSent = request.form.has('summary')
  const text = (name: 'summary' | 'file_name' | 'content_type') =>
    isSent ? fieldText(request, name) : (attachment[name] ?? '')
  return (
    <details open={isSent}>
      <summary>Change, flag or comment</summary>
      <Form request={request} isOnce action={`/attachment/${attachment.id}/details`}>
        <div class="fields">
          <LineInput label="What it shows" name="summary" required value={text('summary')} />
          <LineInput label="File name" name="file_name" required value={text('file_name')} />
          <LineInput label="Type" name="content_type" required value={text('content_type')} />
        </div>
        <fieldset>
          <legend>It is</legend>
          {ticksOf(request).map(([name, label]) => (
            <Tick
              label={label}
              name={name}
              checked={isSent ? request.form.has(name) : attachment[name] === true}
            />
          ))}
        </fieldset>
        <FlagFields request={request} attachment={attachment} types={types} />
        <CommentField sent={request} rows={4} />
        <button type="submit">Save</button>
      </Form>
    </details>
  )
}

/** The flags that it has, and those that it may get. */
function FlagFields({ request, attachment, types }: FormProps) {
  const { flags = [] } = attachment
  const others = types.filter(
    ({ id, is_multiplicable: mayRepeat }) =>
      mayRepeat || !flags.some(({ type_id }) => type_id === id),
  )
  const rows = [
    ...flags.map(({ id, type_id, name = '', status = '', requestee = '' }) => {
      const statuses = [status, ...settable(types.find((type) => type.id === type_id))]
      return { key: `flag-${id}`, name, status, requestee, statuses }
    }),
    ...others.map((type) => ({
      key: `flagtype-${type.id}`,
      name: type.name,
      status: '',
      requestee: '',
      statuses: settable(type),
    })),
  ]
  return rows.length === 0 ? null : (
    <fieldset>
      <legend>Flags</legend>
      {rows.map(({ key, name, status, requestee, statuses }) => (
        <div class="row">
          <span>{name}</span>
          <select name={key} aria-label={`Flag ${name}`}>
            <OptionList
              values={['', ...statuses]}
              chosen={fieldText(request, key) || status}
              blank="–"
            />
          </select>
          <input
            name={`${key}-of`}
            value={fieldText(request, `${key}-of`) || requestee}
            aria-label={`Who is asked for ${name}`}
            placeholder="login of who is asked"
            data-suggest="people"
          />
        </div>
      ))}
    </fieldset>
  )
}

export const sendDetails = behindForm(showDetails, async (request) => {
  const { form, path } = request
  const id = path.id ?? ''

  const { attachments } = await ask(request, getAttachments, {
    attachment_id: id,
    include_fields: ['bug_id', 'flags'],
  })
  const [before] = Object.values(attachments)
  const comment = fieldText(request, 'comment')
  const send = comment.trim() === '' ? ask : askOnce
  await send(request, updateAttachments, {
    attachment_id: id,
    summary: fieldText(request, 'summary'),
    file_name: fieldText(request, 'file_name'),
    ...(!form.has('is_patch') && { content_type: fieldText(request, 'content_type') }),
    ...Object.fromEntries(ticksOf(request).map(([name]) => [name, form.has(name)])),
    comment,
    flags: flagsOf(request, before?.flags ?? []),
  })
  return redirectTo(`/bug/${before?.bug_id}#attachments`)
})

function flagsOf({ form }: PageRequest, flags: NonNullable<Attachment['flags']>): object[] {
  const before = Object.fromEntries([
    ...flags.flatMap(({ id, status = '', requestee = '' }) => [
      [`flag-${id}`, status],
      [`flag-${id}-of`, requestee],
    ]),
    ...[...form.keys()].filter((key) => key.startsWith('flagtype-')).map((key) => [key, '']),
  ])
  return flagChanges(before, readValues(form, Object.keys(before)))
}
