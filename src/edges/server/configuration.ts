import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { inScanTurn } from '../../platform/http/operations/read-turns.ts'
import { boolean, names, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { valuesTooMany } from '../../tracker/fields/faults.ts'
import { admitListed } from '../../tracker/fields/listed-values.ts'
import { flagTypesTooMany } from '../../tracker/flags/faults.ts'
import { admitListedTypes, IDS_OF_TYPES } from '../../tracker/flags/listed-types.ts'
import { createTypeFinder } from '../../tracker/flags/scopes.ts'
import {
  type FieldConfigurationRows,
  fieldMapShape,
  mapFields,
  selectFieldConfiguration,
} from './configuration-fields.ts'
import {
  classificationMapShape,
  findActiveTypes,
  flagTypeMapShape,
  groupMapShape,
  mapClassifications,
  mapFlagTypes,
  mapGroups,
  mapProducts,
  type ProductConfigurationRows,
  productMapShape,
  selectProductConfiguration,
} from './configuration-products.ts'
import { VERSION } from './version.ts'

const ADVICE = "Name products in 'product', or ask for less with 'include_fields'"

const PRODUCT_MEMBERS = ['classification', 'product', 'group', 'flag_type']

/**
 * The structure that is visible to the caller: the products that they may search or file in, with their
 * parts, the caller's own groups that bugs may be in, flag types, fields with the values to choose from,
 * and the workflow. Groups and flag types have their IDs as keys, all else its name.
 */
export const getConfiguration = operation(
  {
    method: 'GET',
    path: '/configuration',
    summary: 'Tell of products, fields and the workflow in one answer',
    reference: 'server.md#get-the-configuration',
    input: z.object({
      /** The names of products, to get these alone. */
      product: names(),
      /** Whether to include flag types. */
      flags: boolean(),
      ...selectionInput,
    }),
    output: z
      .strictObject({
        version: z.string(),
        maintainer: z.string(),
        announcement: z.string(),
        /** In bytes. */
        max_attachment_size: z.int(),
        classification: classificationMapShape,
        product: productMapShape,
        group: groupMapShape,
        flag_type: flagTypeMapShape,
        field: fieldMapShape,
      })
      .partial(),
    faults: [flagTypesTooMany, valuesTooMany],
    requires: anyone,
    scope: 'read',
  },
  inScanTurn(async (ctx, input) => {
    const { caller, settings } = ctx
    const selection = new Selection(input)
    const showFlags = input.flags ?? true
    const wantsProducts = PRODUCT_MEMBERS.some((name) => selection.includes(name))
    const rows: Partial<ProductConfigurationRows> & FieldConfigurationRows = await readBatch(ctx, {
      ...(wantsProducts ? selectProductConfiguration(caller, input.product, showFlags) : {}),
      ...(selection.includes('field')
        ? selectFieldConfiguration(caller, findNamedFields(input.include_fields))
        : {}),
    })
    const { products, components, versions, milestones } = rows
    const ofProducts = [products, components, versions, milestones]
    admitListed(ctx, [...ofProducts, rows.values, rows.controllers, rows.keywords], ADVICE)
    const productRows: ProductConfigurationRows = { ...rows, products: rows.products ?? [] }
    const findTypes = showFlags ? createTypeFinder(...findActiveTypes(productRows)) : null
    if (findTypes !== null && selection.includes('product')) {
      admitListedTypes(ctx, rows.components ?? [], findTypes, IDS_OF_TYPES)
    }
    return selection.prune({
      version: VERSION,
      maintainer: settings.MAINTAINER,
      announcement: '',
      max_attachment_size: settings.MAX_ATTACHMENT_KB * 1024,
      classification: mapClassifications(productRows),
      ...(selection.includes('product') ? { product: mapProducts(productRows, findTypes) } : {}),
      group: mapGroups(productRows),
      ...(showFlags ? { flag_type: mapFlagTypes(productRows) } : {}),
      field: mapFields(rows, settings),
    })
  }),
)

/** The fields that alone are asked for, as in `field.status`; null for all. */
function findNamedFields(include: readonly string[] = []): string[] | null {
  const names = include.map((name) => /^field\.([^.]+)/.exec(name)?.[1])
  return names.length > 0 && names.every((name) => name !== undefined) ? names : null
}
