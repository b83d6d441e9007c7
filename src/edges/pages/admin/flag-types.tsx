import { hasRole } from '../../../platform/access/caller.ts'
import { createFlagType } from '../../../tracker/flags/types/create.ts'
import { updateFlagTypes } from '../../../tracker/flags/types/update.ts'
import { getGroups } from '../../../tracker/groups/get.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { ask, askOnce, ignoreFault, type PageRequest } from '../page.ts'
import { OptionList } from '../parts/form.tsx'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'
import {
  ABOUT,
  NAME,
  type ObjectField,
  ObjectForm,
  Objects,
  type ObjectValues,
  openedOf,
  openedOfAny,
  readFields,
  SORT_KEY,
} from './objects.tsx'

const TYPE: readonly ObjectField[] = [
  NAME,
  { name: 'grant_group', label: 'Group that answers it; blank for everybody' },
  { name: 'request_group', label: 'Group that asks for it; blank for everybody' },
  { name: 'cc_list', label: 'Addresses that hear of it', kind: 'names' },
  SORT_KEY,
  ABOUT,
  { name: 'is_active', label: 'Offered', kind: 'tick' },
  { name: 'is_requestable', label: 'Can be asked for', kind: 'tick' },
  { name: 'is_requesteeble', label: 'Can be asked of somebody', kind: 'tick' },
  { name: 'is_multiplicable', label: 'Can be set several times', kind: 'tick' },
]

const PLACES: readonly ObjectField[] = [
  { name: 'inclusions', label: 'Product or Product:Component, with commas', kind: 'names' },
  { name: 'exclusions', label: 'But not in these', kind: 'names' },
]

const NEW_TYPE: readonly ObjectField[] = [
  { name: 'target_type', label: 'On', kind: 'choice', options: ['bug', 'attachment'] },
  ...PLACES,
  ...TYPE,
]

const FRESH = {
  target_type: 'bug',
  is_active: true,
  is_requestable: true,
  is_requesteeble: true,
  is_multiplicable: true,
}

/** The flag types that a product has. */
export const flagTypesPage: AdminPage = {
  show: showFlagTypes,
  send: sending(showFlagTypes, {
    'type.create': async (request) => {
      const values = readFields(request, NEW_TYPE)
      // several types may have one name
      await askOnce(request, createFlagType, { ...values, ...readPlaces(values) })
      return backTo(request)
    },
    'places.save': async (request) => {
      const id_or_name = openedOf(request, 'places')
      const places = readPlaces(readFields(request, PLACES))
      await ask(request, updateFlagTypes, { id_or_name, ...places })
      return backTo(request)
    },
    'type.save': async (request) => {
      const parameters = { id_or_name: openedOf(request, 'type'), ...readFields(request, TYPE) }
      await ask(request, updateFlagTypes, parameters)
      return backTo(request)
    },
  }),
}

/** Places as the operations take them; those that are left blank are left out. */
function readPlaces(values: ObjectValues): Record<string, unknown> {
  return Object.fromEntries(
    PLACES.flatMap(({ name }) => {
      const places = (values[name] ?? []) as string[]
      return places.length === 0 ? [] : [[name, places.map(readPlace)]]
    }),
  )
}

/** What stands behind the last colon is a component. */
function readPlace(place: string) {
  const [, product = place, component] = /^(.+):([^:]+)$/.exec(place) ?? []
  return component === undefined ? product : { [product.trim()]: [component.trim()] }
}

function backTo({ url }: PageRequest): string {
  const product = url.searchParams.get('product') ?? ''
  return `/admin/flag-types?${new URLSearchParams({ product, done: '1' })}`
}

async function showFlagTypes(request: PageRequest, refusal?: string) {
  const { products } = await ask(request, getProducts, {
    type: ['accessible'],
    include_fields: ['name'],
  })
  const product = request.url.searchParams.get('product') || (products[0]?.name ?? '')
  const [types, groupNames] = await Promise.all([
    listTypes(request, product).catch(ignoreFault(null)),
    listGroupNames(request),
  ])
  const opened = openedOfAny(request, ['type', 'places'])
  return (
    <AdminFrame request={request} title="Flag types" refusal={refusal}>
      <form class="row">
        <select name="product" aria-label="Product">
          <OptionList values={products.map(({ name }) => name)} chosen={product} />
        </select>
        <button type="submit" class="quiet">
          Show its flag types
        </button>
      </form>
      {types === null && (
        <p>The components of this product have too many flag types to list them here.</p>
      )}
      <Objects
        request={request}
        kind="type"
        singular="flag type"
        title={`Flag types of ${product}`}
        fields={TYPE}
        items={(types ?? []).map(({ target, ...type }) => ({
          id: String(type.id),
          title: type.name,
          about: `${type.description} (${target})`,
          isClosed: !type.is_active,
          values: {
            ...type,
            grant_group: groupNames.get(type.grant_group) ?? type.grant_group,
            request_group: groupNames.get(type.request_group) ?? type.request_group,
          },
        }))}
        freshFields={NEW_TYPE}
        fresh={{ ...FRESH, inclusions: [product] }}
      />
      {opened !== undefined && (
        <>
          <h3>Where it is offered</h3>
          <p>What you fill in replaces all that was there.</p>
          <ObjectForm
            request={request}
            kind="places"
            id={opened}
            fields={PLACES}
            values={{}}
            buttons={{ save: 'Save where' }}
          />
        </>
      )}
    </AdminFrame>
  )
}

/** The types of all components of a product, each once. */
async function listTypes(request: PageRequest, product: string) {
  if (product === '') {
    return []
  }
  const { products } = await ask(request, getProducts, {
    names: [product],
    type: ['accessible'],
    include_fields: ['components.flag_types'],
  })
  const types = (products[0]?.components ?? []).flatMap(({ flag_types: on }) => [
    ...(on?.bug ?? []).map((type) => ({ ...type, target: 'bug' })),
    ...(on?.attachment ?? []).map((type) => ({ ...type, target: 'attachment' })),
  ])
  return [...new Map(types.map((type) => [type.id, type])).values()]
}

/** The names of the groups by their IDs, for those who may know them. */
async function listGroupNames(request: PageRequest) {
  if (!hasRole(request.ctx.caller, 'creategroups')) {
    return new Map<number | null, string>()
  }
  const { groups } = await ask(request, getGroups, { include_fields: ['id', 'name'] })
  return new Map<number | null, string>(groups.map(({ id = 0, name = '' }) => [id, name]))
}
