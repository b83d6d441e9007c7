import * as z from 'zod'
import type { Ctx } from '../context.ts'
import { readBatch } from '../db/read-batch.ts'
import { flag, names, selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { fieldMap, mapFields, type TermRows, termReadings } from './configuration-fields.ts'
import {
  classificationMap,
  flagTypeMap,
  groupMap,
  mapClassifications,
  mapFlagTypes,
  mapGroups,
  mapProducts,
  type PlaceRows,
  placeReadings,
  productMap,
} from './configuration-products.ts'
import { VERSION } from './version.ts'

export const configurationInput = z.object({
  /** Names of products, to be told of these alone. */
  product: names(),
  /** Whether to tell of flag types. */
  flags: flag(),
  ...selectionInput,
})

export const configurationOutput = z
  .strictObject({
    version: z.string(),
    maintainer: z.string(),
    announcement: z.string(),
    /** In bytes. */
    max_attachment_size: z.int(),
    classification: classificationMap,
    product: productMap,
    group: groupMap,
    flag_type: flagTypeMap,
    field: fieldMap,
  })
  .partial()

const OF_PLACES = ['classification', 'product', 'group', 'flag_type']

/**
 * GET /configuration: how the tracker is set up, as far as the caller may know of it: the products that they
 * may search or file in with everything in them, the groups of theirs that bugs may be in, flag types,
 * fields with the values that may be chosen, and the workflow. Groups and flag types stand under their IDs,
 * everything else under its name. Administration API "Parameters and server information".
 */
export async function configuration(ctx: Ctx, input: z.output<typeof configurationInput>) {
  const { caller, settings } = ctx
  const selection = new Selection(input)
  const showFlags = input.flags ?? true
  const wantsPlaces = OF_PLACES.some((name) => selection.includes(name))
  const rows: Partial<PlaceRows> & TermRows = await readBatch(ctx, {
    ...(wantsPlaces ? placeReadings(caller, input.product, showFlags) : {}),
    ...(selection.includes('field') ? termReadings(caller) : {}),
  })
  const places: PlaceRows = { ...rows, products: rows.products ?? [] }
  return selection.prune({
    version: VERSION,
    maintainer: settings.MAINTAINER,
    announcement: '',
    max_attachment_size: settings.MAX_ATTACHMENT_KB * 1024,
    classification: mapClassifications(places),
    product: mapProducts(places, showFlags),
    group: mapGroups(places),
    ...(showFlags ? { flag_type: mapFlagTypes(places) } : {}),
    field: mapFields(rows, settings),
  })
}
