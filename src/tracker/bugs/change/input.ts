import * as z from 'zod'
import {
  boolean,
  bugNames,
  clearableText,
  selectionInput,
} from '../../../platform/http/operations/shapes.ts'
import { mergeUnique } from '../model/capability.ts'
import { legacyNameInputs } from '../model/legacy-names.ts'
import { CAPABILITIES } from './capabilities.ts'

const capabilityInput = mergeUnique(CAPABILITIES.map(({ input }) => input))

export const CAPABILITY_PARAMETERS = Object.keys(capabilityInput)

const ownInput = {
  id_or_alias: z.string(),
  ids: bugNames(),
  minor_update: boolean(),
  /** What `If-Match` is about. */
  ...selectionInput,
  ...legacyNameInputs(clearableText),
}

/** The type holds the verb's own parameters alone: capabilities know the types of theirs. */
const shape: typeof ownInput = Object.assign({}, ownInput, capabilityInput)

export const changeBugInput = z.object(shape).catchall(z.unknown())

export type ChangeBugInput = z.output<typeof changeBugInput>
