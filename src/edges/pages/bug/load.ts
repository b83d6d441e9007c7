import { turnOwner } from '../../../platform/http/operations/caller-key.ts'
import { loadMarkdownIt } from '../../../platform/lib/markdown/markdown.ts'
import { Turns } from '../../../platform/load/turns.ts'
import { getBug } from '../../../tracker/bugs/read/get.ts'
import { getBugComments } from '../../../tracker/comments/get.ts'
import { getFields } from '../../../tracker/fields/get.ts'
import { listLegalValues } from '../../../tracker/fields/legal-values.ts'
import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { listFlagTypesOfComponent } from '../../../tracker/flags/types/list.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { getVisit } from '../../../tracker/visits/get.ts'
import { ask, askPaged, ignoreFault, type PageRequest } from '../page.ts'
import { type HistoryPlace, loadHistory, type ShownHistory } from './load-history.ts'
import { customNames, fieldsIn, loadDefinitions, loadPeople, MAX_NAMED } from './load-names.ts'

export type Bug = Awaited<ReturnType<typeof askForBug>>
export type Comment = Awaited<ReturnType<typeof askForComments>>['comments'][number]
export type Attachment = NonNullable<Bug['attachments']>[number]
export type Flag = NonNullable<Bug['flags']>[number]

/** What is read beside the default fields; an update compares those alone. */
export const READ_BESIDE = ['attachments', 'tags', 'triage_owner_detail', 'permissions']

const COMMENT_FIELDS = [
  ...['id', 'count', 'creator', 'creator_detail', 'creation_time', 'is_private'],
  ...['tags', 'attachment_id', 'html', 'raw_text'],
]

/** Comments that a page shows, beside the description on the first one. */
export const MAX_COMMENTS = 100

/** What pages are made of takes many times their memory. */
const turns = new Turns<string>(1, 2)

/** Everything that the page of a bug shows, in two round trips. */
export type BugPage = Awaited<ReturnType<typeof loadBugPage>>

/** Loads a few pages at a time, so that many at once neither exhaust the memory nor keep others waiting. */
export function loadBugPage(request: PageRequest, name: string, isEditing: boolean) {
  return turns.run(turnOwner(request.ctx), () => loadParts(request, name, isEditing))
}

async function loadParts(request: PageRequest, name: string, isEditing: boolean) {
  // on the first page of an isolate the parser would come too late for the second trip
  await loadMarkdownIt()
  const [beside, comments, visits] = await Promise.all([
    Promise.all([
      askForBug(request, name, ['_default', ...READ_BESIDE]),
      loadHistory(request, name, changesBefore(request) ?? {}),
    ]).then(([bug, history]) => loadBeside(request, bug, history, isEditing)),
    loadComments(request, name),
    request.viewer === null ? [] : ask(request, getVisit, { id: name }),
  ])
  return {
    ...beside,
    ...comments,
    lastVisit: visits[0]?.last_visit_ts,
    isEditing,
  }
}

/** Whether an update would take this member of Change bugs from the reader. */
export function maySend({ bug }: { readonly bug: Bug }, member: string): boolean {
  return bug.permissions?.fields?.includes(member) === true
}

/** One bug, by what an address calls it. */
export async function askForBug(
  request: PageRequest,
  name: string,
  include_fields: readonly string[],
) {
  const { bugs } = await ask(request, getBug, { id_or_alias: name, include_fields })
  const [bug] = bugs
  if (bug === undefined) {
    throw new Error('A bug was neither answered nor refused')
  }
  return bug
}

async function askForComments(
  request: PageRequest,
  name: string,
  which: Record<string, unknown>,
  fields = COMMENT_FIELDS,
) {
  const bug = { id_or_alias: name, include_fields: fields }
  const { body, page } = await askPaged(request, getBugComments, { ...bug, ...which })
  return { comments: Object.values(body.bugs).flatMap((one) => one.comments), page }
}

/** The newest comments or those before one, and those that the address asks for whole: one to read, one to quote. */
async function loadComments(request: PageRequest, name: string) {
  // nothing stands before the description
  const before = numberIn(request, 'before') || undefined
  const single = async (count: number | undefined, fields?: string[]) => {
    const one = { limit: 1, offset: count }
    const read = count === undefined ? null : await askForComments(request, name, one, fields)
    return read?.comments.find((comment) => comment.count === count)
  }
  const older = { limit: MAX_COMMENTS, from_end: true, offset: before }
  const [shown, whole, quoted] = await Promise.all([
    askForComments(request, name, before === undefined ? { newest: MAX_COMMENTS } : older),
    single(numberIn(request, 'whole')),
    single(
      numberIn(request, 'quote'),
      // a text that is quoted is not rendered
      COMMENT_FIELDS.filter((field) => field !== 'html'),
    ),
  ])
  const { next } = shown.page
  return {
    comments: shown.comments.map((one) =>
      whole !== undefined && one.count === whole.count ? whole : one,
    ),
    quoted,
    before,
    isNewest: before === undefined,
    /** Where the page of older comments ends; null when all are shown. */
    olderBefore: next?.offset ?? null,
  }
}

/** A whole number of the address. */
function numberIn({ url }: PageRequest, name: string): number | undefined {
  const text = url.searchParams.get(name) ?? ''
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined
}

/** Where the changes end that a page of older comments shows, as the page of newer ones knows it. */
export function changesBefore({ url: { searchParams: query } }: PageRequest): HistoryPlace | null {
  const before = query.get('changes')
  return query.has('before') && before ? { before } : null
}

async function loadBeside(
  request: PageRequest,
  bug: Bug,
  history: ShownHistory,
  isEditing: boolean,
) {
  const custom = customNames(Object.keys(bug))
  const may = new Set(bug.permissions?.fields)
  const edits = isEditing && may.size > 0
  const selects = [
    ...(may.has('resolution') ? ['resolution'] : []),
    ...(edits ? ['type', 'priority', 'severity', 'platform', 'op_sys'] : []),
  ]
  const [linked, people, fields, choices, customChoices, more] = await Promise.all([
    loadLinked(request, linkedIds(bug)),
    loadPeople(request, loginsOf(bug, history)),
    loadDefinitions(request, [...custom, ...fieldsIn(history.entries)]),
    loadChoices(request, selects),
    // whether a field has choices stands in its definition, which comes at the same time
    edits
      ? loadChoices(
          request,
          custom.filter((one) => mayBeChoice(bug[one])),
        )
      : new Map(),
    edits ? loadPlaces(request, bug) : null,
  ])
  return {
    bug,
    history,
    linked,
    people,
    fields,
    more,
    choices: new Map([...choices, ...customChoices]),
  }
}

/** A text that is empty is none, because a choice has a name for nothing. */
function mayBeChoice(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === 'string' && value !== '' && value.length <= 64)
}

/** Values by field; a field that has no list of them is left out. */
async function loadChoices(request: PageRequest, names: readonly string[]) {
  const lists = await Promise.all(
    names.map((field) =>
      ask(request, listLegalValues, { field }).then(
        ({ values }) => [field, values] as const,
        ignoreFault([field, null] as const),
      ),
    ),
  )
  return new Map(lists.flatMap(([field, values]) => (values === null ? [] : [[field, values]])))
}

async function loadPlaces(request: PageRequest, { product = '', component = '' }: Bug) {
  const [ofProduct, enterable, flagTypes, keywords] = await Promise.all([
    ask(request, getProducts, { names: [product], include_fields: FORM_MEMBERS }),
    ask(request, getProducts, { type: ['enterable'], include_fields: ['name'] }),
    ask(request, listFlagTypesOfComponent, { id_or_name: product, component }).then(
      ({ bug = [] }) => bug,
      ignoreFault([]),
    ),
    ask(request, getFields, { names: ['keywords'], include_fields: ['values.name'] }),
  ])
  const [parts] = ofProduct.products
  const namesOf = (list: readonly Part[] = [], present = '') => [
    ...new Set([
      ...list.flatMap(({ name, is_active }) => (is_active && name !== undefined ? [name] : [])),
      present,
    ]),
  ]
  // of more, the name is typed
  const offered = (list: readonly Part[] = [], present?: string) =>
    list.length > MOST_OF_PAGE ? undefined : namesOf(list, present)
  return {
    products: namesOf(
      enterable.products.map(({ name }) => ({ ...(name && { name }), is_active: true })),
      product,
    ),
    components: offered(parts?.components as Part[], component),
    versions: offered(parts?.versions as Part[]),
    milestones: offered(parts?.milestones as Part[]),
    flagTypes,
    keywords: (keywords.fields[0]?.values ?? []).flatMap(({ name }) => name ?? []),
  }
}

type Part = { name?: string; is_active?: boolean }

/** What the forms of bugs ask of a product. */
export const FORM_MEMBERS = ['components', 'versions', 'milestones'].flatMap((list) => [
  `${list}.name`,
  `${list}.is_active`,
])

function linkedIds(bug: Bug): number[] {
  const { depends_on = [], blocks = [], regressed_by = [], regressions = [] } = bug
  const { duplicates = [], dupe_of: original } = bug
  const ids = [...depends_on, ...blocks, ...regressed_by, ...regressions, ...duplicates]
  return [...new Set([...(original ? [original] : []), ...ids])].slice(0, MAX_NAMED)
}

async function loadLinked(request: PageRequest, [first, ...others]: readonly number[]) {
  if (first === undefined) {
    return new Map()
  }
  const { bugs } = await ask(request, getBug, {
    id_or_alias: String(first),
    ids: others.map(String),
    permissive: true,
    include_fields: ['id', 'summary', 'status', 'resolution', 'is_open'],
  })
  return new Map(bugs.map((bug) => [bug.id, bug]))
}

/** People that the bug and its history name by their logins alone. */
function loginsOf({ flags = [], attachments = [] }: Bug, { entries }: ShownHistory) {
  const allFlags = [...flags, ...attachments.flatMap((one) => one.flags ?? [])]
  return [
    ...entries.map(({ who }) => who),
    ...allFlags.flatMap(({ setter, requestee }) => [setter, requestee]),
  ]
}
