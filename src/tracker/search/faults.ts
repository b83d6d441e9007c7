import { defineFaults } from '../../platform/faults/fault.ts'

export const {
  searchInvalid,
  searchFieldUnknown,
  searchTooSlow,
  searchOrderTooSlow,
  noSearchTerms,
} = defineFaults({
  searchInvalid: [32000, 'The search cannot be read: {source} {reason}.'],
  searchFieldUnknown: [108, "{source} names '{name}', which is no field to search by{hint}."],
  searchTooSlow: [
    1001,
    'The search took too long: {source} has to look at every bug. Add a criterion that leaves fewer, such as a product, a person or a date.',
  ],
  searchOrderTooSlow: [
    1001,
    'The search took too long: its order looks up {columns} for every bug. Order by fewer of these columns, or add a criterion that leaves fewer bugs, such as a product, a person or a date.',
  ],
  noSearchTerms: [1000, 'A search needs at least one search term.{unknown}'],
})
