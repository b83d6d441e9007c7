import { invalidParameter } from '../../../platform/faults/fault.ts'
import * as shapes from '../shapes.ts'
import { omitEmpty, shortenObjects, takePage } from '../shorten.ts'
import type { Tool } from '../types.ts'

const { text } = shapes

const PRODUCTS = { what: 'products', normal: 100, most: 500 }
const COMPONENTS = { what: 'components', normal: 100, most: 500 }
const VALUES = { what: 'values', normal: 100, most: 500 }
/** Names of versions, and of milestones, that a product shows: the last ones are the newest. */
const MAX_NAMES = 100
/** Characters of a description in a list. */
const BRIEF = { text_length: 300 }

type Part = { readonly name: string; readonly is_active: boolean }

export const listProductsTool: Tool = {
  name: 'list_products',
  title: 'List products',
  description: 'Lists the products that the caller may search or file bugs in.',
  effect: 'read',
  takes: shapes.page(PRODUCTS),
  operation: 'GET /product',
  gives: { products: shapes.objects, note: shapes.note },
  toParameters: () => ({
    type: 'accessible',
    include_fields: 'name,description,is_active,classification',
  }),
  toResult: ({ body, given }) => {
    const products = shortenObjects((body as { products: object[] }).products, BRIEF)
    const { items, ...rest } = takePage(products, given, PRODUCTS)
    return { members: { products: items, ...rest } }
  },
}

export const getProductTool: Tool = {
  name: 'get_product',
  title: 'Read a product',
  description:
    'Reads one product with its components, and the versions and milestones that are in use: what file_bug and search_bugs take.',
  effect: 'read',
  takes: {
    product: text('Name of the product'),
    ...shapes.page(COMPONENTS),
  },
  required: ['product'],
  operation: 'GET /product',
  gives: { product: { type: 'object' }, components: shapes.objects, note: shapes.note },
  toParameters: ({ product }) => ({
    names: [String(product)],
    include_fields:
      'name,description,is_active,classification,has_unconfirmed,default_version,default_milestone,components.name,components.description,components.is_active,components.default_assigned_to,versions.name,versions.is_active,milestones.name,milestones.is_active',
  }),
  toResult: ({ body, given }) => {
    const [found] = (body as { products: ProductParts[] }).products
    if (found === undefined) {
      throw invalidParameter('product', 'names no product that you may see')
    }
    const { components, versions, milestones, ...product } = found
    const { items, ...rest } = takePage(shortenObjects(components, BRIEF), given, COMPONENTS)
    const names = { versions: listActive(versions), milestones: listActive(milestones) }
    return { members: { product: omitEmpty({ ...product, ...names }), components: items, ...rest } }
  },
}

type ProductParts = {
  readonly components: readonly Part[]
  readonly versions: readonly Part[]
  readonly milestones: readonly Part[]
}

function listActive(parts: readonly Part[]): string[] {
  return parts
    .filter(({ is_active }) => is_active)
    .map(({ name }) => name)
    .slice(-MAX_NAMES)
}

export const getFieldTool: Tool = {
  name: 'get_field',
  title: 'Read the values of a field',
  description:
    'Reads what values a field of bugs may have, such as `status`, `resolution`, `priority`, `severity`, `op_sys` or a custom field, and for `status` where each one may move. `can_change_to` of the value without a name holds the statuses of new bugs.',
  effect: 'read',
  takes: {
    field: text('Name of the field'),
    ...shapes.page(VALUES),
  },
  required: ['field'],
  operation: 'GET /field/bug/:id_or_name',
  gives: { field: { type: 'object' }, values: shapes.objects, note: shapes.note },
  toParameters: ({ field }) => ({
    id_or_name: String(field),
    include_fields:
      'name,display_name,is_custom,is_mandatory,values.name,values.description,values.is_active,values.is_open,values.can_change_to,values.visibility_values',
  }),
  toResult: ({ body, given }) => {
    const [found] = (body as { fields: { values?: object[] }[] }).fields
    const { values = [], ...field } = found ?? {}
    const { items, ...rest } = takePage(shortenObjects(values, BRIEF), given, VALUES)
    return { members: { field: omitEmpty(field), values: items, ...rest } }
  },
}
