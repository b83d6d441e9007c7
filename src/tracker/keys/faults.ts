import { defineFault } from '../../platform/faults/fault.ts'

export const apiKeyUnknown = defineFault<{ id: string }>(
  'apiKeyUnknown',
  51,
  (d) => `There is no API key with the ID '${d.id}'.`,
)
export const keyMayNotManageKeys = defineFault(
  'keyMayNotManageKeys',
  304,
  'The API key you presented is limited, and so it manages no key but itself. Use a key with all scopes for all products, or log in.',
)
