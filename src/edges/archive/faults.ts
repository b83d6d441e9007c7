import { defineFaults } from '../../platform/faults/fault.ts'

export const {
  archivePartUnknown,
  archiveFileUnknown,
  backupUnknown,
  archiveIncomplete,
  importNotBegun,
  importNeedsKey,
  importOfOther,
  trackerNotEmpty,
  trackerInUse,
  linesContradict,
  fileDigestWrong,
} = defineFaults({
  archivePartUnknown: [51, "An archive has no part named '{name}'."],
  archiveFileUnknown: [51, "There is no attachment whose bytes have the digest '{digest}'."],
  backupUnknown: [51, "There is no piece '{name}' of a backup."],
  archiveIncomplete: [32000, 'The archive is not whole. It lacks {things}.'],
  importNotBegun: [32000, 'No import is under way; POST /rest/import with begin.'],
  importNeedsKey: [
    32000,
    'An import needs an API key, because logins and passwords end when it begins.',
  ],
  importOfOther: [32000, "This tracker takes archives of '{source}' only."],
  trackerNotEmpty: [32000, 'This tracker is not empty: it has {things}. Import into a new one.'],
  trackerInUse: [
    32000,
    'People have changed this tracker since its last import, which another import would undo.',
  ],
  linesContradict: [32000, "A line of '{part}' has a name or number that another line or row has."],
  fileDigestWrong: [32000, 'The bytes do not have the digest {digest}.'],
})
