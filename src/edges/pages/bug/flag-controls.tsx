import { OptionList } from '../parts/form.tsx'
import { PersonInput } from './edit.tsx'
import type { FormValues } from './form.ts'
import type { BugPage, Flag } from './load.ts'
import { Who } from './people.tsx'
import type { State } from './state.ts'

type FlagType = NonNullable<BugPage['more']>['flagTypes'][number]

/** The controls of flags with the values that they have now. */
export function flagValues({ bug, more }: BugPage): FormValues {
  const present = (bug.flags ?? []).flatMap(({ id, status = '', requestee = '' }) => [
    [`flag-${id}`, status],
    [`flag-${id}-of`, requestee],
  ])
  const others = newFlagTypes(bug.flags, more).flatMap(({ id }) => [
    [`flagtype-${id}`, ''],
    [`flagtype-${id}-of`, ''],
  ])
  return Object.fromEntries([...present, ...others])
}

/** Entries of `flags` of Change bugs for what was typed otherwise. */
export function flagChanges(before: FormValues, typed: FormValues): object[] {
  return Object.keys(before).flatMap((key): object[] => {
    const [, kind, id] = /^(flag|flagtype)-(\d+)$/.exec(key) ?? []
    const [status, requestee] = [typed[key] ?? '', (typed[`${key}-of`] ?? '').trim()]
    const isSame = status === before[key] && requestee === (before[`${key}-of`] ?? '')
    if (kind === undefined || isSame || (kind === 'flagtype' && status === '')) {
      return []
    }
    const of = status === '?' ? { requestee } : {}
    return kind === 'flag'
      ? [{ id: Number(id), status: status === '' ? 'X' : status, ...of }]
      : [{ type_id: Number(id), status, new: true, ...(requestee !== '' && of) }]
  })
}

export function FlagFields({ page, state }: { page: BugPage; state: State }) {
  const { bug, more } = page
  const types = new Map(more?.flagTypes.map((type) => [type.id, type]))
  const others = newFlagTypes(bug.flags, more)
  const refusal = state.refusal?.field === 'flags' ? state.refusal.message : undefined
  return (bug.flags ?? []).length + others.length === 0 ? null : (
    <fieldset>
      <legend>Flags</legend>
      {refusal !== undefined && <small class="refused">{refusal}</small>}
      {(bug.flags ?? []).map((flag) => (
        <PresentFlag page={page} state={state} flag={flag} type={types.get(flag.type_id ?? 0)} />
      ))}
      {others.map((type) => (
        <FlagRow
          state={state}
          name={`flagtype-${type.id}`}
          label={type.name}
          description={type.description}
          statuses={settable(type)}
          status=""
          requestee={type.is_requesteeble ? '' : null}
        />
      ))}
    </fieldset>
  )
}

function PresentFlag({
  page,
  state,
  flag,
  type,
}: {
  page: BugPage
  state: State
  flag: Flag
  type: FlagType | undefined
}) {
  const { id, name = '', status = '?', setter, requestee = '' } = flag
  return (
    <FlagRow
      state={state}
      name={`flag-${id}`}
      label={name}
      description={type?.description ?? ''}
      statuses={[status, ...settable(type)]}
      status={status}
      requestee={type?.is_requesteeble || requestee !== '' ? requestee : null}
    >
      <span class="muted">
        by <Who page={page} login={setter} />
      </span>
    </FlagRow>
  )
}

type FlagRowProps = {
  state: State
  name: string
  label: string
  description: string
  statuses: readonly string[]
  status: string
  /** Null where nobody can be asked. */
  requestee: string | null
  children?: unknown
}

function FlagRow(props: FlagRowProps) {
  const { state, name, label, statuses, requestee } = props
  const status = state.typed?.[name] ?? props.status
  return (
    <div class="row">
      <span title={props.description}>{label}</span>
      <select name={name} aria-label={`Flag ${label}`}>
        <OptionList values={['', ...statuses]} chosen={status} blank="–" />
      </select>
      {requestee !== null && (
        <PersonInput
          name={`${name}-of`}
          value={state.typed?.[`${name}-of`] ?? requestee}
          aria-label={`Who is asked for ${label}`}
        />
      )}
      {props.children}
    </div>
  )
}

/** The statuses that may be set, beside none. */
export function settable(type: { readonly values: readonly string[] } | undefined): string[] {
  return type?.values.filter((value) => value !== 'X') ?? []
}

/** The types of which a flag may be added, by a reader who may set some status. */
function newFlagTypes(flags: readonly Flag[] = [], more: BugPage['more']): FlagType[] {
  return (more?.flagTypes ?? []).filter(
    ({ id, is_active, is_multiplicable, values }) =>
      is_active &&
      values.length > 1 &&
      (is_multiplicable || !flags.some(({ type_id }) => type_id === id)),
  )
}
