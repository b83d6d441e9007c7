import { defineFault } from '../../platform/faults/fault.ts'

export const searchInvalid = defineFault<{ source: string; reason: string }>(
  'searchInvalid',
  32000,
  (d) => `The search cannot be read: ${d.source} ${d.reason}.`,
)
export const searchFieldUnknown = defineFault<{ source: string; name: string; hint: string }>(
  'searchFieldUnknown',
  108,
  (d) => `${d.source} names '${d.name}', which is no field to search by${d.hint}.`,
)
export const searchTooSlow = defineFault<{ source: string }>(
  'searchTooSlow',
  1001,
  (d) =>
    `The search took too long: ${d.source} has to look at every bug. Add a criterion that leaves fewer, such as a product, a person or a date.`,
)
export const noSearchTerms = defineFault<{ unknown: string }>(
  'noSearchTerms',
  1000,
  (d) => `A search needs at least one search term.${d.unknown}`,
)
