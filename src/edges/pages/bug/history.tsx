import { getBug } from '../../../tracker/bugs/read/get.ts'
import { Layout } from '../layout.tsx'
import { ask, type PageRequest } from '../page.ts'
import { Moment } from '../parts/moment.tsx'
import { ChangeOfField } from './changes.tsx'
import {
  type HistoryEntry,
  type HistoryPlace,
  historyAddress,
  loadHistory,
} from './load-history.ts'
import { fieldsIn, loadDefinitions, loadPeople } from './load-names.ts'
import { type Known, Who } from './people.tsx'

/** The changes of a bug, newest first, page by page. */
export async function showHistory(request: PageRequest) {
  const { id: name = '' } = request.path
  const place = placeIn(request)
  const [{ bugs }, { entries, earlier, later }] = await Promise.all([
    ask(request, getBug, { id_or_alias: name, include_fields: ['id', 'summary'] }),
    loadHistory(request, name, place),
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
      canonical={historyAddress(id, {})}
      isUnlisted
    >
      <h1>
        History of <a href={`/bug/${id}`}>bug {id}</a>
      </h1>
      <p class="muted">{summary}</p>
      {later !== null && (
        <p class="notice">
          Later changes are not shown.{' '}
          <a href={historyAddress(id, later)} rel="prev">
            Show later changes
          </a>
          , or <a href={historyAddress(id, {})}>the newest</a>
        </p>
      )}
      {entries.length === 0 && <p>{noneAt(place)}</p>}
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

function placeIn({ url: { searchParams: query } }: PageRequest): HistoryPlace {
  const [before, from] = [query.get('before'), query.get('from')]
  return { ...(before && { before }), ...(from && { from }) }
}

function noneAt({ before, from }: HistoryPlace): string {
  if (before !== undefined) {
    return 'There are no earlier changes.'
  }
  return from === undefined ? 'Nothing was changed yet.' : 'There are no later changes.'
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
