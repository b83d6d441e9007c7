import { canTrackTime } from '../../../platform/access/caller.ts'
import type { Fault } from '../../../platform/faults/fault.ts'
import { getFields } from '../../../tracker/fields/get.ts'
import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { Layout } from '../layout.tsx'
import { ask, movedTo, type PageRequest } from '../page.ts'
import { LineInput } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { CustomRows } from './custom-rows.tsx'
import { DATES, DAY, Further, People, Picker, Typed } from './form-parts.tsx'
import { Given } from './given.ts'
import { linkToList } from './query.ts'
import { QuicksearchHelp } from './quicksearch-help.tsx'

/** The select fields of the form, under the names of old addresses. */
const SELECTS = [
  'bug_status',
  'resolution',
  'bug_type',
  'priority',
  'bug_severity',
  'rep_platform',
  'op_sys',
]

const PARTS = ['components', 'versions', 'milestones'] as const

export async function showSearchForm(request: PageRequest) {
  return request.route === '/search'
    ? searchForm(request)
    : movedTo(linkToList(request.url, {}, '/search'))
}

/** The form for a search, with what the address has, and with what is wrong about that. */
export async function searchForm(request: PageRequest, refusal?: Fault) {
  const { url, viewer } = request
  const given = new Given(url)
  const chosen = given.take('product')
  const [{ products }, parts, { fields: all }, { fields: selects }] = await Promise.all([
    ask(request, getProducts, { type: 'selectable', include_fields: 'name' }),
    chosen.length === 0
      ? { products: [] }
      : ask(request, getProducts, {
          type: 'selectable',
          names: chosen,
          include_fields: ['components.name', 'versions.name', 'milestones.name'],
        }),
    ask(request, getFields, { include_fields: ['name', 'display_name', 'is_custom'] }),
    ask(request, getFields, {
      names: SELECTS,
      include_fields: ['name', 'display_name', 'values.name'],
    }),
  ])
  const namesOf = (part: (typeof PARTS)[number]) =>
    parts.products.flatMap((product) => product[part] ?? []).flatMap(({ name }) => name ?? [])
  if (refusal !== undefined) {
    request.c.status(refusal.status)
  }
  return (
    <Layout request={request} title="Search" canonical="/search">
      <h1>Search</h1>
      <Refusal message={refusal?.message} />
      <form action="/bugs">
        <input type="hidden" name="query_format" value="advanced" />
        <LineInput
          label="Quicksearch"
          type="search"
          name="quicksearch"
          value={given.take('quicksearch')[0]}
        />
        <QuicksearchHelp />
        <h2>Where</h2>
        <div class="fields">
          <Picker
            name="product"
            label="Product"
            values={products.flatMap(({ name }) => name ?? [])}
            chosen={chosen}
          />
          {(
            [
              ['component', 'Component', 'components'],
              ['version', 'Version', 'versions'],
              ['target_milestone', 'Milestone', 'milestones'],
            ] as const
          ).map(([name, label, part]) => (
            <Picker name={name} label={label} values={namesOf(part)} chosen={given.take(name)} />
          ))}
        </div>
        <UnlistedParts products={parts.products} />
        <button type="submit" class="quiet" formaction="/search">
          Offer what the chosen products have
        </button>
        <h2>What</h2>
        <div class="fields">
          <Typed name="short_desc" label="Summary" given={given} />
          <Typed name="longdesc" label="Comments" given={given} />
          <Typed name="keywords" label="Keywords" given={given} />
          <Typed name="status_whiteboard" label="Whiteboard" given={given} />
        </div>
        <div class="fields">
          {SELECTS.map((name) => {
            const { display_name: label = name, values = [] } =
              selects.find((field) => field.name === name) ?? {}
            return (
              <Picker
                name={name}
                label={label}
                values={values.map((value) => value.name || '---')}
                chosen={given.take(name)}
              />
            )
          })}
        </div>
        <h2>Who</h2>
        <div class="fields">
          <People number="1" given={given} />
          <People number="2" given={given} />
        </div>
        <h2>When</h2>
        <div class="fields">
          {DATES.filter(({ isTimed }) => !isTimed || canTrackTime(request.ctx.caller)).map(
            ({ name, label, placeholder = DAY }) => (
              <LineInput
                label={label}
                name={name}
                value={given.take(name)[0]}
                placeholder={placeholder}
              />
            ),
          )}
        </div>
        <h2>Anything else</h2>
        <CustomRows url={url} given={given} fields={all} caller={request.ctx.caller} />
        <Further given={given} />
        <p>
          <button type="submit">Search</button>
        </p>
      </form>
      {viewer === null && <p class="muted">Sign in to search private bugs that you may see.</p>}
    </Layout>
  )
}

type Listed = { readonly [Name in (typeof PARTS)[number]]?: readonly unknown[] | undefined }

/** Leads to the parts of very large products, which no page lists. */
function UnlistedParts({ products }: { products: readonly Listed[] }) {
  const isCut = PARTS.some(
    (part) => products.reduce((sum, { [part]: list = [] }) => sum + list.length, 0) > MOST_OF_PAGE,
  )
  return (
    isCut && (
      <p class="muted">
        There are more parts than are listed here. Name others under “Anything else”.
      </p>
    )
  )
}
