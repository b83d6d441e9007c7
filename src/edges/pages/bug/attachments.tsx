import { SHOWN_IMAGES } from '../attachments/shown-images.ts'
import { Moment } from '../parts/moment.tsx'
import { PersonLink } from '../parts/person.tsx'
import { Table } from '../parts/table.tsx'
import { Flags } from './facts.tsx'
import { type Attachment, type BugPage, maySend } from './load.ts'

/** The files of a bug; obsolete ones fold away. */
export function Attachments({ page }: { page: BugPage }) {
  const { attachments = [], id } = page.bug
  const obsolete = attachments.filter(({ is_obsolete }) => is_obsolete)
  const current = attachments.filter((one) => !obsolete.includes(one))
  const canAdd = maySend(page, 'comment')
  return attachments.length === 0 && !canAdd ? null : (
    <section aria-labelledby="attachments">
      <h2 id="attachments">Attachments</h2>
      {current.length > 0 && <Files page={page} files={current} caption="Attachments" />}
      {obsolete.length > 0 && (
        <details class="plain">
          <summary>{obsolete.length} obsolete</summary>
          <Files page={page} files={obsolete} caption="Obsolete attachments" />
        </details>
      )}
      {canAdd && (
        <p>
          <a href={`/bug/${id}/attach`}>Attach a file</a>
        </p>
      )}
    </section>
  )
}

type FilesProps = { page: BugPage; files: readonly Attachment[]; caption: string }

function Files({ page, files, caption }: FilesProps) {
  return (
    <Table heads={['File', 'Kind', 'Size', 'By', 'Flags']} label={caption}>
      {files.map((file) => (
        <File page={page} file={file} />
      ))}
    </Table>
  )
}

function File({ page, file }: { page: BugPage; file: Attachment }) {
  const { id, summary = '', content_type: type = '', is_obsolete: isObsolete } = file
  const path = `/attachment/${id}`
  return (
    <tr>
      <td>
        {SHOWN_IMAGES.includes(type) && (
          <a href={path} tabindex={-1}>
            <img class="thumb" src={path} alt={summary} loading="lazy" width="64" height="48" />
          </a>
        )}
        <a href={path} {...(isObsolete && { class: 'closed' })}>
          {summary === '' ? file.file_name : summary}
        </a>
        <PrivateMark isShown={file.is_private} />
        <div class="muted">
          <a href={`${path}/details`}>{file.file_name}</a>
        </div>
      </td>
      <td>{file.is_patch ? 'patch' : type}</td>
      <td class="number">{formatSize(file.size ?? 0)}</td>
      <td>
        {file.creator_detail && <PersonLink person={file.creator_detail} />}
        <div class="muted">
          <Moment at={file.creation_time} />
        </div>
      </td>
      <td>{file.flags?.length ? <Flags page={page} flags={file.flags} /> : null}</td>
    </tr>
  )
}

/** Says that only insiders see a thing. */
export function PrivateMark({ isShown }: { isShown: boolean | undefined }) {
  return isShown === true ? (
    <>
      {' '}
      <span class="status private">Private</span>
    </>
  ) : null
}

function formatSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${unit === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
