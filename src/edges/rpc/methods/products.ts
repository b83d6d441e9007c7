import { invalidParameter } from '../../../platform/faults/fault.ts'
import type { Parameters } from '../../../platform/http/request/app-env.ts'
import { textOfAny } from '../../../platform/lib/text.ts'
import { itemsOfList, putFirstReferenceInPath, renameTo } from '../path-parameters.ts'
import type { RpcMethod, RpcMethods, RpcTarget } from '../types.ts'

const getProducts: RpcMethod = { operation: 'GET /product' }

/** The component in `names`, each of which names its product too. */
const updateByName: RpcTarget = {
  operation: 'PUT /component',
  toParameters: ({ names, ...others }) => ({ ...others, ...takeComponent(names) }),
  toResult: wrapComponent,
}

export const productMethods: RpcMethods = {
  'Product.get': getProducts,
  'Product.get_products': getProducts,
  'Product.get_selectable_products': { operation: 'GET /product_selectable' },
  'Product.get_enterable_products': { operation: 'GET /product_enterable' },
  'Product.get_accessible_products': { operation: 'GET /product_accessible' },
  'Product.create': { operation: 'POST /product' },
  'Product.update': {
    operation: 'PUT /product/:id_or_name',
    toParameters: putFirstReferenceInPath,
  },

  'Component.get': {
    operation: 'GET /component',
    whenGiven: {
      names: {
        operation: 'GET /component',
        toParameters: ({ names, ...others }) => ({ ...others, ...takeComponent(names) }),
      },
    },
  },
  'Component.create': { operation: 'POST /component' },
  'Component.update': {
    operation: 'PUT /component',
    toResult: wrapComponent,
    whenGiven: {
      ids: {
        operation: 'PUT /component/:product',
        toParameters: ({ ids, ...others }) => ({
          ...others,
          product: textOfAny(takeOnly('ids', ids)),
        }),
        toResult: wrapComponent,
      },
      names: updateByName,
    },
  },

  'Classification.get': { operation: 'GET /classification' },

  'FlagType.get': {
    operation: 'GET /flag_type/:id_or_name',
    toParameters: renameTo('id_or_name', 'product'),
    whenGiven: {
      component: {
        operation: 'GET /flag_type/:id_or_name/:component',
        toParameters: renameTo('id_or_name', 'product'),
      },
    },
  },
  'FlagType.create': { operation: 'POST /flag_type' },
  'FlagType.update': {
    operation: 'PUT /flag_type/:id_or_name',
    toParameters: putFirstReferenceInPath,
  },
}

function takeComponent(names: unknown): Parameters {
  const named = takeOnly('names', names)
  if (typeof named !== 'object' || named === null) {
    throw invalidParameter('names', 'must be a list of objects with product and component')
  }
  const { product, component } = named as Parameters
  return { product, component }
}

/** The REST API changes one component at a time. */
function takeOnly(field: string, list: unknown): unknown {
  const [first, ...others] = itemsOfList(list)
  if (others.length > 0) {
    throw invalidParameter(field, 'may name one component only')
  }
  return first
}

function wrapComponent(body: unknown): unknown {
  return { components: [body] }
}
