import { defineFaults } from '../../platform/faults/fault.ts'

export const { archivePartUnknown, archiveFileUnknown } = defineFaults({
  archivePartUnknown: [51, "An archive has no part named '{name}'."],
  archiveFileUnknown: [51, "There is no attachment whose bytes have the digest '{digest}'."],
})
