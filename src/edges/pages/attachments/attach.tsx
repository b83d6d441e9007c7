import { maySetPrivacy } from '../../../platform/access/privacy.ts'
import { invalidParameter } from '../../../platform/faults/fault.ts'
import { loggedIn } from '../../../platform/http/operations/operation.ts'
import { updateAttachments } from '../../../tracker/attachments/update.ts'
import { getBug } from '../../../tracker/bugs/read/get.ts'
import { Layout } from '../layout.tsx'
import { ask, behindForm, fieldText, type PageRequest, redirectTo } from '../page.ts'
import { CommentField, Form, LineInput, Tick } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { attachFile, readFile } from './upload.ts'

/** The form for a file of a bug, which may make earlier files obsolete. */
export async function showAttach(request: PageRequest, refusal?: string) {
  loggedIn.grant(request.ctx, {})
  const { bugs } = await ask(request, getBug, {
    id_or_alias: request.path.id ?? '',
    include_fields: [
      'id',
      'summary',
      'attachments.id',
      'attachments.summary',
      'attachments.is_obsolete',
    ],
  })
  const { id, summary, attachments = [] } = bugs[0] ?? {}
  const current = attachments.filter(({ is_obsolete }) => is_obsolete !== true)
  const obsolete = request.form.getAll('obsolete')
  return (
    <Layout request={request} title={`Attach to bug ${id}`} isUnlisted>
      <h1>
        Attach a file to <a href={`/bug/${id}`}>bug {id}</a>
      </h1>
      <p>{summary}</p>
      <Refusal message={refusal ?? request.url.searchParams.get('refused')} />
      <Form request={request} isOnce action={`/bug/${id}/attach`} enctype="multipart/form-data">
        <div class="fields">
          <LineInput label="File" type="file" name="file" required />
          <LineInput sent={request} label="What it shows" name="summary" />
        </div>
        <Ticks request={request} />
        {current.length > 0 && (
          <fieldset>
            <legend>It replaces</legend>
            {current.map((one) => (
              <Tick
                label={one.summary}
                name="obsolete"
                value={String(one.id)}
                checked={obsolete.includes(String(one.id))}
              />
            ))}
          </fieldset>
        )}
        <CommentField sent={request} rows={5} />
        <button type="submit">Attach</button>
      </Form>
    </Layout>
  )
}

function Ticks({ request }: { request: PageRequest }) {
  return (
    <fieldset>
      <legend>Kind</legend>
      <Tick label="It is a patch" name="is_patch" checked={request.form.has('is_patch')} />
      {maySetPrivacy(request.ctx.caller, false, true) && (
        <Tick
          label="Only insiders may see it"
          name="is_private"
          checked={request.form.has('is_private')}
        />
      )}
    </fieldset>
  )
}

export const sendAttach = behindForm(showAttach, async (request) => {
  const { form, path } = request
  const bug = path.id ?? ''

  const file = readFile(request)
  if (file === null) {
    throw invalidParameter('file', 'must be chosen')
  }
  const more = {
    comment: fieldText(request, 'comment'),
    is_patch: form.has('is_patch'),
    ...(form.has('is_private') && { is_private: true }),
  }
  await attachFile(request, bug, { file, summary: fieldText(request, 'summary'), more })
  const [first, ...others] = form.getAll('obsolete').map(String)
  if (first !== undefined) {
    const replaced = { attachment_id: first, ids: others, is_obsolete: true }
    await ask(request, updateAttachments, replaced)
  }
  return redirectTo(`/bug/${encodeURIComponent(bug)}#attachments`)
})
