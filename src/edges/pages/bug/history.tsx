import { getBug } from '../../../tracker/bugs/read/get.ts'
import { Layout } from '../layout.tsx'
import { ask, type PageRequest } from '../page.ts'
import { Moment } from '../parts/moment.tsx'
import { ChangeOfField } from './changes.tsx'
import { type HistoryEntry, historyAddress, loadHistory } from './load-history.ts'
import { fieldsIn, loadDefinitions, loadPeople } from './load-names.ts'
import { type Known, Who } from './people.tsx'

/** The changes of a bug, newest first, page by page. */
export async function showHistory(request: PageRequest) {
  const { id: name = '' } = request.path
  const before = request.url.searchParams.get('before') || null
  const [{ bugs }, { entries, earlier }] = await Promise.all([
    ask(request, getBug, { id_or_alias: name, include_fields: ['id', 'summary'] }),
    loadHistory(request, name, before),
  ])
  const [people, fields] = await Promise.all([
    loadPeople(
      request,
      entries.map(({ who }) => who),
    ),
    loadDefinitions(request, fieldsIn(entries)),
  ])
  const { id, summary } = bugs[0] ?? {}
  return (
    <Layout
      request={request}
      title={`History of bug ${id}`}
      canonical={historyAddress(id, null)}
      isUnlisted
    >
      <h1>
        History of <a href={`/bug/${id}`}>bug {id}</a>
      </h1>
      <p class="muted">{summary}</p>
      {before !== null && (
        <p class="notice">
          Newer changes are not shown.{' '}
          <a href={historyAddress(id, null)}>Show the newest changes</a>
        </p>
      )}
      {entries.length === 0 && (
        <p>{before === null ? 'Nothing was changed yet.' : 'There are no earlier changes.'}</p>
      )}
      <ol class="plain history">
        {entries.toReversed().map((entry) => (
          <Row page={{ people, fields }} entry={entry} />
        ))}
      </ol>
      {earlier !== null && (
        <p class="notice">
          Earlier changes are not shown.{' '}
          <a href={historyAddress(id, earlier)} rel="next">
            Show earlier changes
          </a>
        </p>
      )}
    </Layout>
  )
}

type RowProps = {
  readonly page: Known & Parameters<typeof ChangeOfField>[0]['page']
  readonly entry: HistoryEntry
}

/** Who and when beside what. */
function Row({ page, entry }: RowProps) {
  return (
    <li>
      <div>
        <span class="muted">
          <Moment at={entry.when} />
        </span>{' '}
        <Who page={page} login={entry.who} />
      </div>
      <ul class="plain">
        {(entry.changes ?? []).map((change) => (
          <li>
            <ChangeOfField page={page} change={change} />
          </li>
        ))}
      </ul>
    </li>
  )
}
