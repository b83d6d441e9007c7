import { defineFaults } from '../../platform/faults/fault.ts'

export const { apiKeyUnknown, keyMayNotManageKeys } = defineFaults({
  apiKeyUnknown: [51, "There is no API key with the ID '{id}'."],
  keyMayNotManageKeys: [
    304,
    'The API key you presented is limited, and so it manages no key but itself. Use a key with all scopes for all products, or log in.',
  ],
})
