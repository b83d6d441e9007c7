import type { FlagType, StandingFlag } from './load.ts'
import type { FlaggedBug, FlagState } from './rules.ts'

/** An attachment that carries flags, as it will be once the request is served. */
export type FlaggedAttachment = {
  /** 'new' for the newest one of its bug, which the same commit makes. */
  readonly id: number | 'new'
  readonly isPrivate: boolean
  /** Whether the request makes it obsolete: then the open requests on it are dropped. */
  readonly becomesObsolete?: boolean
}

/** A flag as it will stand. */
export type DecidedFlag = FlagState & { readonly type: FlagType }

/** What becomes of the flags of one bug, or of one attachment. */
export type FlagEdits = {
  readonly bug: FlaggedBug
  readonly attachment: FlaggedAttachment | null
  readonly clears: readonly StandingFlag[]
  /** `isTold` is false where a flag merely moves to a type of the same name. */
  readonly updates: readonly { was: StandingFlag; now: DecidedFlag; isTold: boolean }[]
  readonly creates: readonly DecidedFlag[]
  /** The words of `changes` and history under `flagtypes.name`; both empty when nothing is to be told. */
  readonly removed: string
  readonly added: string
  /** Who is newly asked and therefore comes on the CC list: everybody but the reporter. */
  readonly asked: readonly number[]
  /** All flags that stood there, which the decision rests on. */
  readonly stood: readonly StandingFlag[]
  /** All flags of the bug and of its attachments, where it moves: any other one would have been settled too. */
  readonly settled: readonly StandingFlag[] | null
  /** The types that the decision rests on. */
  readonly types: readonly FlagType[]
}

/** A flag while it is decided on: as it stood, and as it will. */
export type Slot = {
  readonly was: { readonly row: StandingFlag; readonly state: DecidedFlag } | null
  now: DecidedFlag | null
  /** Gone because its attachment becomes obsolete; entries that address it are passed over. */
  isDropped: boolean
}

/** What becomes of the flags that were decided on. */
export function editsOf(
  { bug, attachment }: Pick<FlagEdits, 'bug' | 'attachment'>,
  slots: readonly Slot[],
): FlagEdits {
  const changed = slots.filter(isChanged)
  const updates = changed.flatMap(({ was, now }) =>
    was === null || now === null
      ? []
      : [{ was: was.row, now, isTold: wordOf(was.state) !== wordOf(now) }],
  )
  const asked = changed.flatMap(({ was, now }) =>
    now?.requestee && now.requestee.id !== was?.row.requesteeId ? [now.requestee.id] : [],
  )
  const types = changed.flatMap(({ was, now }) => [was?.state.type, now?.type])
  return {
    bug,
    attachment,
    clears: changed.flatMap(({ was, now }) => (was !== null && now === null ? [was.row] : [])),
    updates,
    creates: changed.flatMap(({ was, now }) => (was === null && now !== null ? [now] : [])),
    ...wordsOf(changed),
    asked: [...new Set(asked)].filter((id) => id !== bug.reporterId),
    settled: null,
    stood: slots.flatMap(({ was }) => (was === null ? [] : [was.row])),
    types: [...new Set(types)].filter((type) => type !== undefined),
  }
}

/** Whether anything is to be written. */
export function changesFlags({ clears, updates, creates }: FlagEdits): boolean {
  return clears.length + updates.length + creates.length > 0
}

/**
 * Whether somebody only answers: every flag that changes was set by them or asked of them, and none is
 * new. This much of an attachment may be changed by who may change nothing else of it.
 */
export function onlyAnswers({ clears, updates, creates }: FlagEdits, personId: number): boolean {
  const touched = [...clears, ...updates.map(({ was }) => was)]
  return (
    creates.length === 0 &&
    touched.every((flag) => flag.setterId === personId || flag.requesteeId === personId)
  )
}

function isChanged({ was, now }: Slot): boolean {
  return (
    was?.row.status !== now?.status ||
    was?.row.typeId !== now?.type.id ||
    (was?.row.requesteeId ?? null) !== (now?.requestee?.id ?? null)
  )
}

/** What goes and what comes, without what stands on both sides. */
function wordsOf(slots: readonly Slot[]): { removed: string; added: string } {
  const removed = slots.flatMap(({ was }) => (was === null ? [] : [wordOf(was.state)]))
  const added = slots.flatMap(({ now }) => {
    const word = now === null ? '' : wordOf(now)
    const place = removed.indexOf(word)
    if (place !== -1) {
      removed.splice(place, 1)
    }
    return word === '' || place !== -1 ? [] : [word]
  })
  return { removed: removed.join(', '), added: added.join(', ') }
}

/** A flag as history tells it: name, status, and in brackets who is asked. */
function wordOf({ type, status, requestee }: DecidedFlag): string {
  return `${type.name}${status}${requestee === null ? '' : `(${requestee.login})`}`
}
