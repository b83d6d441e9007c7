import { defineFaults } from '../../faults/fault.ts'

export const { bodyTooLarge, badJson, bodyIncomplete, uploadsBusy } = defineFaults({
  bodyTooLarge: [58, 'The request body is larger than {limitKb} KB.'],
  badJson: [32000, 'The request body {reason}.'],
  bodyIncomplete: [32000, 'The request body broke off, or did not arrive in time.'],
  uploadsBusy: [32000, 'Too many uploads are unfinished; try again in a moment.', 503],
})
