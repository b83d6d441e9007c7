import type { FlagRequest } from '../../../tracker/flags/requests.ts'
import { BugLink } from './bug-link.tsx'
import { Moment } from './moment.tsx'
import { PersonLink } from './person.tsx'
import { Table } from './table.tsx'

/** Flags that wait for an answer, without the people whom all of them have in common. */
export function RequestTable({
  requests,
  without,
}: {
  requests: readonly Partial<FlagRequest>[]
  without?: 'requestee' | 'setter'
}) {
  const people = [without !== 'setter' && 'By', without !== 'requestee' && 'Of']
  return requests.length === 0 ? null : (
    <Table heads={['Asked for', 'Bug', 'Summary', 'Component', ...people, 'Since']}>
      {requests.map(({ bug_id: id, attachment_id: attachment, ...request }) => (
        <tr>
          <td>
            {attachment ? (
              <a href={`/attachment/${attachment}?action=edit`}>{request.name}</a>
            ) : (
              request.name
            )}
          </td>
          <td class="number">
            <BugLink bug={{ ...request, id }} />
          </td>
          <td class="summary">
            <a href={`/bug/${id}`}>{request.summary}</a>
          </td>
          <td>
            {request.product}: {request.component}
          </td>
          {without !== 'setter' && (
            <td>{request.setter && <PersonLink person={request.setter} />}</td>
          )}
          {without !== 'requestee' && (
            <td>{request.requestee && <PersonLink person={request.requestee} />}</td>
          )}
          <td>
            <Moment at={request.creation_date} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
