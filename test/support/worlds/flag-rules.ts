import type { Person } from '../../../src/platform/access/caller.ts'
import type { FlagInput } from '../../../src/tracker/flags/input.ts'
import type {
  CurrentFlag,
  FlagPerson,
  FlagRows,
  LoadedFlagType,
} from '../../../src/tracker/flags/load.ts'
import { createFlagPlanner } from '../../../src/tracker/flags/plan.ts'
import type { FlagEdits } from '../../../src/tracker/flags/plan-edits.ts'
import type { FlaggedBug } from '../../../src/tracker/flags/rules.ts'
import { buildCaller } from '../builders/callers.ts'

const GRANTERS = 1

/** The acting person, in no group. */
export const CALLER = buildCaller({ id: 7, login: 'caller@example.test' })

function type(id: number, name: string, more: Partial<LoadedFlagType> = {}): LoadedFlagType {
  return {
    id,
    name,
    target: 'bug',
    isActive: true,
    isRequestable: true,
    isRequesteeble: true,
    isMultiplicable: true,
    grantGroupId: null,
    requestGroupId: null,
    revision: id * 10,
    ...more,
  }
}

/** One type of each kind that the rules tell apart. */
const TYPES = [
  type(1, 'review'),
  type(2, 'single', { isMultiplicable: false }),
  type(3, 'retired', { isActive: false }),
  type(4, 'answer', { isRequestable: false }),
  type(5, 'guarded', { grantGroupId: GRANTERS, requestGroupId: GRANTERS }),
  type(6, 'twin'),
  type(7, 'twin'),
  type(8, 'heir'),
  type(9, 'heir', { isActive: false }),
  type(10, 'review', { target: 'attachment' }),
  type(11, 'elsewhere'),
  type(12, 'elsewhere', {
    isMultiplicable: false,
    grantGroupId: GRANTERS,
    requestGroupId: GRANTERS,
  }),
  type(13, 'elsewhere', { target: 'attachment' }),
  type(14, 'far'),
]

const HERE = { productId: 1, componentId: 11 }

/** Where bugs may move to. */
export const THERE = { productId: 2, componentId: 21 }

/** Types 11 and 14 apply here alone, 12 there alone; everything else everywhere. */
const SCOPES = TYPES.map(({ id }) => ({
  flagTypeId: id,
  isExclusion: false,
  productId: [11, 13, 14].includes(id) ? 1 : id === 12 ? 2 : null,
  componentId: null,
}))

/** People who may be requestees. */
export const ANN: FlagPerson = {
  id: 30,
  login: 'ann@example.test',
  loginFold: 'ann@example.test',
  isDisabled: false,
  isInsider: false,
  groups: '[]',
}

export const BOB: FlagPerson = {
  ...ANN,
  id: 31,
  login: 'bob@example.test',
  loginFold: 'bob@example.test',
}

export const GRANTER: FlagPerson = { ...ANN, id: 32, login: 'g', loginFold: 'g', groups: '[1]' }

export const BUG: FlaggedBug = {
  id: 35,
  ...HERE,
  reporterId: BOB.id,
  assignedToId: 21,
  qaContactId: null,
  isCcAccessible: true,
  isCreatorAccessible: true,
  groupIds: [],
  ccIds: [],
}

let next = 100

/** A flag of the bug that these rules are about. */
export function buildStandingFlag(
  typeId: number,
  status: '?' | '+' | '-',
  more: Partial<CurrentFlag> = {},
) {
  next += 1
  const flag: CurrentFlag = {
    id: next,
    typeId,
    bugId: 35,
    attachmentId: null,
    status,
    setterId: 50,
    requesteeId: null,
    requestee: null,
    revision: 0,
    ...more,
  }
  return flag
}

export const REQUESTED_OF_ANN = { requesteeId: ANN.id, requestee: ANN.login }

/** The rules of a request about flags that stand already. */
export function buildFlagRules(flags: CurrentFlag[], person: Person = CALLER) {
  const known: FlagRows = {
    flagTypes: TYPES,
    flagScopes: SCOPES,
    flags,
    flagPeople: [ANN, BOB, GRANTER],
    flagBugs: [{ ...BUG, id: 35, groups: '[]', cc: '[]', flagCount: flags.length }],
  }
  return createFlagPlanner(person, known)
}

/** The result for a bug with these flags. */
export function decideFlags(
  flags: CurrentFlag[],
  inputs: FlagInput[],
  person: Person = CALLER,
): FlagEdits {
  const [edits] = buildFlagRules(flags, person).planBugFlags(BUG, inputs)
  if (edits === undefined) {
    throw new Error('Nothing was decided')
  }
  return edits
}

/** What a decision changes: the texts of the flags that it removes and of those that it adds. */
export const summarizeEdits = ({ removed, added }: FlagEdits) => [removed, added]
