import { getComponent } from '../../../tracker/components/get.ts'
import { getFields } from '../../../tracker/fields/get.ts'
import { toPublicName } from '../../../tracker/fields/names.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { PARTS } from '../bug/load.ts'
import { ask, type PageRequest } from '../page.ts'

export type Entry = Awaited<ReturnType<typeof loadEntry>>

/** Fields with values that every product shares. */
const CHOICES = ['type', 'severity', 'priority', 'platform', 'op_sys', 'keywords']

/** Products in which the reader may file, with what leads to one of them. */
export async function loadPlaces(request: PageRequest) {
  const { products } = await ask(request, getProducts, {
    type: ['enterable'],
    include_fields: ['name', 'description', 'classification'],
  })
  return products
}

/** All that the form for a new bug of a product needs, in two round trips; null where nobody may file. */
export async function loadEntry(request: PageRequest, product: string, component?: string) {
  const [{ products }, { fields }] = await Promise.all([
    ask(request, getProducts, {
      type: ['enterable'],
      names: [product],
      include_fields: [
        ...['name', 'default_bug_type', 'default_milestone', 'default_version'],
        ...[...PARTS, 'components.description'],
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
  const [{ fields: withValues }, template] = await Promise.all([
    ask(request, getFields, {
      names: [...CHOICES, ...selects],
      include_fields: ['name', 'values.name', 'values.is_active'],
    }),
    component === undefined || products.length === 0
      ? ''
      : ask(request, getComponent, { product, component }).then(
          (found) => found.bug_description_template ?? '',
          // the form asks for another one
          () => '',
        ),
  ])
  const choices = new Map(
    withValues.map(({ name = '', values = [] }) => [
      toPublicName(name),
      values.flatMap((value) => (value.is_active === false ? [] : (value.name ?? []))),
    ]),
  )
  const [entered] = products
  return entered === undefined ? null : { product: entered, custom, choices, template }
}
