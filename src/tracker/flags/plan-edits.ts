import type { CurrentFlag, LoadedFlagType } from './load.ts'
import type { FlaggedBug, FlagState } from './rules.ts'

/** An attachment with flags, as the request leaves it. */
export type FlaggedAttachment = {
  /** 'new' for the newest one of its bug, which the same commit inserts. */
  readonly id: number | 'new'
  readonly isPrivate: boolean
  /** Whether the request makes it obsolete, which clears the open requests on it. */
  readonly becomesObsolete?: boolean
}

/** A flag as the request leaves it. */
export type DecidedFlag = FlagState & { readonly type: LoadedFlagType }

/** The changes of the flags of one bug, or of one attachment. */
export type FlagEdits = {
  readonly bug: FlaggedBug
  readonly attachment: FlaggedAttachment | null
  readonly clears: readonly CurrentFlag[]
  /** `isRecorded` is false where a flag only moves to a type of the same name. */
  readonly updates: readonly { before: CurrentFlag; after: DecidedFlag; isRecorded: boolean }[]
  readonly creates: readonly DecidedFlag[]
  /** The values of `flagtypes.name` in history and in `changes`; equal when no change is recorded. */
  readonly removed: string
  readonly added: string
  /** New requestees except the reporter; the CC list gets them. */
  readonly newRequesteeIds: readonly number[]
  /** All flags before the request; the commit checks that they have not changed. */
  readonly currentFlags: readonly CurrentFlag[]
  /** All flags of a bug that moves and of its attachments; null for others. The commit checks them too. */
  readonly movedFlags: readonly CurrentFlag[] | null
  /** The types of the flags that change; the commit checks that they have not changed. */
  readonly types: readonly LoadedFlagType[]
}

/** A flag during the decision: its states before and after the request. */
export type FlagSlot = {
  readonly before: { readonly row: CurrentFlag; readonly state: DecidedFlag } | null
  after: DecidedFlag | null
  /** Cleared because its attachment becomes obsolete; entries about it are ignored. */
  isDropped: boolean
}

/** Collects the changes of the slots. */
export function makeFlagEdits(
  { bug, attachment }: Pick<FlagEdits, 'bug' | 'attachment'>,
  slots: readonly FlagSlot[],
): FlagEdits {
  const changed = slots.filter(hasChanged)
  const updates = changed.flatMap(({ before, after }) =>
    before === null || after === null
      ? []
      : [
          {
            before: before.row,
            after,
            isRecorded: describeFlag(before.state) !== describeFlag(after),
          },
        ],
  )
  const requesteeIds = changed.flatMap(({ before, after }) =>
    after?.requestee && after.requestee.id !== before?.row.requesteeId ? [after.requestee.id] : [],
  )
  const types = changed.flatMap(({ before, after }) => [before?.state.type, after?.type])
  return {
    bug,
    attachment,
    clears: changed.flatMap(({ before, after }) =>
      before !== null && after === null ? [before.row] : [],
    ),
    updates,
    creates: changed.flatMap(({ before, after }) =>
      before === null && after !== null ? [after] : [],
    ),
    ...describeChange(changed),
    newRequesteeIds: [...new Set(requesteeIds)].filter((id) => id !== bug.reporterId),
    movedFlags: null,
    currentFlags: slots.flatMap(({ before }) => (before === null ? [] : [before.row])),
    types: [...new Set(types)].filter((type) => type !== undefined),
  }
}

/** Whether there is anything to write. */
export function changesFlags({ clears, updates, creates }: FlagEdits): boolean {
  return clears.length + updates.length + creates.length > 0
}

/**
 * Whether a person only answers: every flag that changes was set by that person or asks that person, and none
 * is new. Who may not change an attachment may still do this.
 */
export function onlyAnswers({ clears, updates, creates }: FlagEdits, personId: number): boolean {
  const changed = [...clears, ...updates.map(({ before }) => before)]
  return (
    creates.length === 0 &&
    changed.every((flag) => flag.setterId === personId || flag.requesteeId === personId)
  )
}

function hasChanged({ before, after }: FlagSlot): boolean {
  return (
    before?.row.status !== after?.status ||
    before?.row.typeId !== after?.type.id ||
    (before?.row.requesteeId ?? null) !== (after?.requestee?.id ?? null)
  )
}

/** The flags that disappear and those that appear; flags on both sides cancel out. */
function describeChange(slots: readonly FlagSlot[]): { removed: string; added: string } {
  const removed = slots.flatMap(({ before }) =>
    before === null ? [] : [describeFlag(before.state)],
  )
  const added = slots.flatMap(({ after }) => {
    const description = after === null ? '' : describeFlag(after)
    const index = removed.indexOf(description)
    if (index !== -1) {
      removed.splice(index, 1)
    }
    return description === '' || index !== -1 ? [] : [description]
  })
  return { removed: removed.join(', '), added: added.join(', ') }
}

/** The form of a flag in history: name, status, and the requestee in brackets. */
function describeFlag({ type, status, requestee }: DecidedFlag): string {
  return `${type.name}${status}${requestee === null ? '' : `(${requestee.login})`}`
}
