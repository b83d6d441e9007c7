import { loginRequired } from '../../../platform/access/faults.ts'
import { Fault } from '../../../platform/faults/fault.ts'
import type { PageInfo } from '../../../platform/http/response/paged-answer.ts'
import { searchBugs } from '../../../tracker/bugs/read/search.ts'
import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import { getFields } from '../../../tracker/fields/get.ts'
import { sayNotUnderstood } from '../../../tracker/search/parameters/parse.ts'
import { Layout } from '../layout.tsx'
import {
  ask,
  askPaged,
  movedTo,
  type PageBody,
  type PageHandler,
  type PageRequest,
  redirectTo,
} from '../page.ts'
import { NoticeLine, Refusal } from '../parts/refusal.tsx'
import { BugTable } from './bug-table.tsx'
import { ColumnForm } from './column-form.tsx'
import { type Column, chooseColumns, customColumn, listUnknownColumns } from './columns.tsx'
import { changeMany, EditForm, EditMany, loadChoices, READ_FOR_EDIT, tickOf } from './edit-many.tsx'
import { answerFile, findFileType } from './files.ts'
import {
  type ListQuery,
  linkToList,
  readListQuery,
  readWholeNumber,
  withoutBlanks,
} from './query.ts'
import { Keep } from './saved.tsx'
import { searchForm } from './search-form.tsx'

/** Bugs that a search finds, as a page or as a file; what is wrong with a search stands above the form for it. */
export const showList: PageHandler = async (request) => {
  const { url } = request
  const query = readListQuery(url)
  const type = findFileType(url)
  if (type !== null) {
    return answerFile(request, type, query)
  }
  if (request.route !== '/bugs') {
    return movedTo(linkToList(url))
  }
  const clean = withoutBlanks(url)
  if (clean !== null) {
    return redirectTo(clean)
  }
  const word = soleWord(query)
  if (/^#?\d{1,10}$/.test(word)) {
    return redirectTo(`/bug/${word.replace('#', '')}`)
  }
  if (Object.keys(query.criteria).length === 0) {
    return redirectTo(linkToList(url, {}, '/search'))
  }
  return showFound(request, query, word)
}

/** Changes the bugs that are ticked in a list. */
export const sendMany: PageHandler = (request) =>
  changeMany(request, (refusal) => showFound(request, readListQuery(request.url), '', refusal))

async function showFound(
  request: PageRequest,
  query: ListQuery,
  word: string,
  refusal?: string,
): Promise<Response | PageBody> {
  try {
    return await answerList(request, query, word, refusal)
  } catch (error) {
    if (error instanceof Fault && error.status !== 503 && error.kind !== loginRequired) {
      return searchForm(request, error)
    }
    throw error
  }
}

async function answerList(
  request: PageRequest,
  query: ListQuery,
  word: string,
  refusal: string | undefined,
) {
  const given = chooseColumns(query.columnList)
  const isChoosing = request.url.searchParams.has('choose')
  const isEdited = request.viewer !== null && request.url.searchParams.get('tweak') === '1'
  const [found, named, custom, choices] = await Promise.all([
    askPaged(request, searchBugs, {
      ...query.criteria,
      ...(query.order !== '' && { order: query.order }),
      ...(query.isCounted && { count_total: true }),
      limit: query.limit,
      offset: query.offset,
      include_fields: [...given.flatMap(({ reads }) => reads), ...(isEdited ? READ_FOR_EDIT : [])],
    }),
    /^[\w.-]{1,64}$/.test(word)
      ? ask(request, searchBugs, { alias: word, include_fields: 'id', limit: 1 })
      : null,
    isChoosing || given.some(({ name }) => name.startsWith('cf_'))
      ? loadCustomColumns(request)
      : [],
    isEdited ? loadChoices(request) : null,
  ])
  const [alias] = named !== null && 'bugs' in named ? named.bugs : []
  if (alias !== undefined) {
    return redirectTo(`/bug/${alias.id}`)
  }
  const { bugs, faults } = 'bugs' in found.body ? found.body : { bugs: [], faults: [] }
  const columns = given.map((one) => custom.find(({ name }) => name === one.name) ?? one)
  const chosen = isChoosing ? custom : null
  return (
    <List
      request={request}
      query={query}
      bugs={bugs}
      faults={faults}
      columns={columns}
      choices={choices}
      refusal={refusal}
      custom={chosen}
      page={found.page}
    />
  )
}

/** The columns of custom fields, with the names that people read. */
async function loadCustomColumns(request: PageRequest): Promise<Column[]> {
  const { fields } = await ask(request, getFields, {
    include_fields: ['name', 'display_name', 'is_custom'],
  })
  return fields.flatMap(({ name = '', display_name: label, is_custom: isCustom }) =>
    isCustom ? [customColumn(name, label)] : [],
  )
}

type ListProps = {
  request: PageRequest
  query: ListQuery
  bugs: readonly BugObject[]
  /** What of the search means nothing. */
  faults: readonly { readonly faultString: string }[]
  columns: readonly Column[]
  /** The columns of custom fields, for a reader who chooses columns. */
  custom: readonly Column[] | null
  page: PageInfo
  /** Null for a list whose bugs cannot be ticked. */
  choices: Awaited<ReturnType<typeof loadChoices>> | null
  refusal: string | undefined
}

function List(props: ListProps) {
  const { request, query, bugs, columns, custom, page, choices, refusal } = props
  const { url } = request
  const name = query.criteria.savedsearch?.[0] ?? query.criteria.namedcmd?.[0]
  return (
    <Layout
      request={request}
      title={name ?? 'Bugs'}
      canonical={linkToList(url)}
      feed={linkToList(url, { ctype: 'atom' })}
      isUnlisted
    >
      <h1>{name ?? 'Bugs'}</h1>
      <Changed url={url} />
      <Refusal message={refusal} />
      <Ignored query={query} url={url} faults={props.faults} />
      <p class="bar">
        <strong>{countFound(page, query, bugs.length)}</strong>
        {page.total?.isExact === false && !query.isCounted && (
          <a href={linkToList(url, { count_total: '1' })}>Count all</a>
        )}
        <a href={linkToList(url, { offset: null, tweak: null }, '/search')}>Change the search</a>
        {custom === null && <a href={`${linkToList(url, { choose: '1' })}#columns`}>Columns</a>}
        {request.viewer !== null && choices === null && bugs.length > 0 && (
          <a href={linkToList(url, { tweak: '1' })}>Change several at once</a>
        )}
        {choices !== null && <a href={linkToList(url, { tweak: null })}>Change nothing</a>}
      </p>
      {custom !== null && <ColumnForm url={url} columns={columns} custom={custom} />}
      <Keep request={request} query={query} />
      {choices === null ? (
        <BugTable url={url} order={query.order} bugs={bugs} columns={columns} />
      ) : (
        <EditForm request={request}>
          <BugTable
            url={url}
            bugs={bugs}
            columns={columns}
            order={query.order}
            mark={tickOf(request)}
          />
          <EditMany request={request} bugs={bugs} choices={choices} />
        </EditForm>
      )}
      <Pager url={url} query={query} page={page} shown={bugs.length} />
      <Files url={url} />
    </Layout>
  )
}

/** How many bugs the form has changed that led here. */
function Changed({ url }: { url: URL }) {
  const count = readWholeNumber(url.searchParams, 'changed')
  return count === null ? null : (
    <NoticeLine>{count === 1 ? '1 bug was changed.' : `${count} bugs were changed.`}</NoticeLine>
  )
}

/** What had no effect: a list without a misspelled criterion looks as if it were the answer. */
function Ignored({ query, url, faults }: Pick<ListProps, 'query' | 'faults'> & { url: URL }) {
  const isFileUnknown = !['', 'html'].includes(url.searchParams.get('ctype')?.trim() ?? '')
  const names = [
    ...query.ignored,
    ...(isFileUnknown ? ['ctype'] : []),
    ...listUnknownColumns(query.columnList),
  ]
  const sentences = [
    ...(names.length === 0 ? [] : [sayNotUnderstood(names)]),
    ...faults.map(({ faultString }) => faultString),
  ]
  return sentences.length === 0 ? null : <NoticeLine>{sentences.join(' ')}</NoticeLine>
}

const COUNT = new Intl.NumberFormat('en')

function countFound({ total }: PageInfo, { offset }: ListQuery, shown: number): string {
  if (total === undefined || (total.count === 0 && offset === 0)) {
    return shown === 0 ? 'No bugs' : `${shown} bugs from number ${offset + 1} on`
  }
  const count = `${COUNT.format(total.count)}${total.isExact ? '' : '+'}`
  return count === '1' ? '1 bug' : `${count} bugs`
}

function Pager({
  url,
  query: { offset, limit },
  page: { next },
  shown,
}: {
  url: URL
  query: ListQuery
  page: PageInfo
  shown: number
}) {
  if (offset === 0 && next === undefined) {
    return null
  }
  const before = Math.max(offset - limit, 0)
  return (
    <nav aria-label="Pages" class="bar">
      {offset > 0 && (
        <a rel="prev" href={linkToList(url, { offset: before === 0 ? null : String(before) })}>
          Previous
        </a>
      )}
      <span class="muted">
        {offset + 1}–{offset + shown}
      </span>
      {next && (
        <a rel="next" href={linkToList(url, { offset: String(offset + limit) })}>
          Next
        </a>
      )}
    </nav>
  )
}

/** The whole list in other forms. */
function Files({ url }: { url: URL }) {
  const link = (ctype: string) =>
    linkToList(url, {
      ctype,
      limit: null,
      offset: null,
      tweak: null,
      ...(ctype === 'csv' && { human: '1' }),
    })
  return (
    <nav aria-label="Other forms of this list" class="bar muted">
      <a href={link('csv')}>CSV</a>
      <a href={link('json')}>JSON</a>
      <a href={link('atom')}>Feed</a>
      <a href={link('ics')}>Calendar of deadlines</a>
      <a href={link('rdf')}>RDF</a>
    </nav>
  )
}

/** The only word of a quicksearch that is no part of a larger search; else nothing. */
function soleWord({ criteria: { quicksearch = [], ...others } }: ListQuery): string {
  const [word = ''] = quicksearch
  return quicksearch.length === 1 && Object.keys(others).length === 0 ? word.trim() : ''
}
