import { getComponent } from '../../../tracker/components/get.ts'
import { getFields } from '../../../tracker/fields/get.ts'
import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { toPublicName } from '../../../tracker/fields/names.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { FORM_MEMBERS } from '../bug/load.ts'
import { ask, ignoreFault, type PageRequest } from '../page.ts'

export type Entry = Awaited<ReturnType<typeof loadEntry>>

/** Fields with values that every product shares. */
const CHOICES = ['type', 'severity', 'priority', 'platform', 'op_sys', 'keywords']

/** Products in which the reader may file, with what leads to one of them. */
export async function loadFilingPlaces(request: PageRequest) {
  const { products } = await ask(request, getProducts, {
    type: ['enterable'],
    include_fields: ['name', 'description', 'classification'],
  })
  return products
}

/** The component that the reader has chosen; of more than a page lists, its name may be typed. */
export function findChosenComponent({ product, chosen }: Entry & {}, name: string | undefined) {
  const { components = [] } = product
  const listed = components.find((one) => one.name === name)
  return listed ?? (components.length > MOST_OF_PAGE ? (chosen ?? undefined) : undefined)
}

/** All that the form for a new bug of a product needs, in two round trips; null where nobody may file. */
export async function loadEntry(request: PageRequest, product: string, component?: string) {
  const [{ products }, { fields }] = await Promise.all([
    ask(request, getProducts, {
      type: ['enterable'],
      names: [product],
      include_fields: [
        ...['name', 'default_bug_type', 'default_milestone', 'default_version'],
        ...[...FORM_MEMBERS, 'components.description'],
      ],
    }),
    ask(request, getFields, {
      include_fields: [
        'name',
        'display_name',
        'type',
        'is_mandatory',
        'is_on_bug_entry',
        'is_custom',
      ],
    }),
  ])
  const custom = fields.filter(
    ({ is_custom, is_on_bug_entry, is_mandatory }) =>
      is_custom && (is_on_bug_entry || is_mandatory),
  )
  const selects = custom
    .filter(({ type }) => type === 2 || type === 3)
    .flatMap(({ name }) => name ?? [])
  const [{ fields: withValues }, chosen] = await Promise.all([
    ask(request, getFields, {
      names: [...CHOICES, ...selects],
      include_fields: ['name', 'values.name', 'values.is_active'],
    }),
    component === undefined || products.length === 0
      ? null
      : // without one, the form asks for another
        ask(request, getComponent, { product, component }).catch(ignoreFault(null)),
  ])
  const choices = new Map(
    withValues.map(({ name = '', values = [] }) => [
      toPublicName(name),
      values.flatMap((value) => (value.is_active === false ? [] : (value.name ?? []))),
    ]),
  )
  const [entered] = products
  return entered === undefined ? null : { product: entered, custom, choices, chosen }
}
