import { getAudit } from '../../server/audit.ts'
import { type Answer, askPaged, type PageRequest } from '../page.ts'
import { LineInput } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Table } from '../parts/table.tsx'
import { AdminFrame, type AdminPage } from './frame.tsx'

/** Changes of a page. */
const MAX_SHOWN = 100

const FILTERS = [
  { name: 'object', label: 'Kind of object', type: 'text' },
  { name: 'object_id', label: 'ID of the object', type: 'text' },
  { name: 'who', label: 'Login of who did it', type: 'text' },
  { name: 'after', label: 'From', type: 'date' },
  { name: 'before', label: 'Before', type: 'date' },
] as const

/** Who changed what in the structure of the tracker. */
export const auditPage: AdminPage = { show: showAudit }

async function showAudit(request: PageRequest) {
  const { searchParams } = request.url
  const given = FILTERS.flatMap(({ name }) => {
    const value = searchParams.get(name)?.trim() ?? ''
    return value === '' ? [] : [[name, value] as const]
  })
  const { body, page } = await askPaged(request, getAudit, {
    ...Object.fromEntries(given),
    limit: String(MAX_SHOWN),
    offset: searchParams.get('offset') ?? '0',
  })
  const next = page.next && new URLSearchParams([...given, ['offset', page.next.offset ?? '0']])
  return (
    <AdminFrame request={request} title="Audit log">
      <form>
        <div class="fields">
          {FILTERS.map(({ name, label, type }) => (
            <LineInput label={label} type={type} name={name} value={searchParams.get(name) ?? ''} />
          ))}
        </div>
        <button type="submit">Show</button>
      </form>
      <AuditTable entries={body.audit} />
      {next && (
        <p>
          <a href={`/admin/audit?${next}`} rel="next">
            Older changes
          </a>
        </p>
      )}
    </AdminFrame>
  )
}

type Entry = Answer<typeof getAudit>['audit'][number]

function AuditTable({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) {
    return <p>There is no such change.</p>
  }
  return (
    <Table heads={['When', 'Who', 'What', 'Field', 'Before', 'After']}>
      {entries.map((entry) => (
        <tr>
          <td>
            <Moment at={entry.time} />
          </td>
          <td>{entry.who}</td>
          <td>
            {entry.action}{' '}
            <a href={`/admin/audit?${objectOf(entry)}`}>
              {entry.object} {entry.object_id}
            </a>
          </td>
          <td>{entry.field}</td>
          <td>{entry.removed}</td>
          <td>{entry.added}</td>
        </tr>
      ))}
    </Table>
  )
}

function objectOf({ object = '', object_id }: Entry) {
  return new URLSearchParams({ object, object_id: String(object_id) })
}
