import { OptionList } from '../parts/form.tsx'
import type { FormControl } from './form.ts'
import type { State } from './state.ts'

/** The controls of the fields that the reader may change, with what was typed. */
export function EditFields({
  state,
  controls,
}: {
  state: State
  controls: readonly FormControl[]
}) {
  const [short, long] = [controls.filter((one) => !isLong(one)), controls.filter(isLong)]
  const summary = controls.find(({ name }) => name === 'summary')
  return (
    <>
      {summary && <Field state={state} control={summary} />}
      <div class="fields">
        {short.map((control) => (
          <Field state={state} control={control} />
        ))}
      </div>
      {long
        .filter((control) => control !== summary)
        .map((control) => (
          <Field state={state} control={control} />
        ))}
    </>
  )
}

function isLong({ name, kind }: FormControl): boolean {
  return ['links', 'text', 'people'].includes(kind) || ['summary', 'url'].includes(name)
}

function Field({ state, control }: { state: State; control: FormControl }) {
  const { name, label, kind } = control
  const refusal = state.refusal?.field === name ? state.refusal.message : undefined
  const { ended } = state
  return (
    <label for={`f-${control.key}`}>
      {kind === 'tick' ? (
        <>
          <Input state={state} control={control} isRefused={refusal !== undefined} /> {label}
        </>
      ) : (
        <>
          {label}
          {kind === 'moment' && ' (UTC)'}
          <Input state={state} control={control} isRefused={refusal !== undefined} />
        </>
      )}
      {refusal !== undefined && <small class="refused">{refusal}</small>}
      {ended?.includes(control.key) && (
        <small class="refused">Changed by somebody else meanwhile.</small>
      )}
    </label>
  )
}

type InputProps = { state: State; control: FormControl; isRefused: boolean }

function Input({ state, control, isRefused }: InputProps) {
  const { key: name, kind, options } = control
  const value = state.typed?.[name] ?? control.value
  const common = { name, id: `f-${name}`, ...(isRefused && { 'aria-invalid': 'true' as const }) }
  switch (kind) {
    case 'choice':
      return options === undefined ? (
        <input {...common} value={value} />
      ) : (
        <select {...common}>
          <OptionList values={[...options, value]} chosen={value} blank="(none)" />
        </select>
      )
    case 'choices':
      return (
        <select {...common} multiple size={Math.min(4, Math.max(2, options?.length ?? 0))}>
          <OptionList values={options ?? []} chosen={value.split('\n')} />
        </select>
      )
    case 'text':
    case 'links':
      return (
        <textarea
          {...common}
          rows={kind === 'text' ? 4 : Math.min(6, value.split('\n').length + 1)}
        >
          {value}
        </textarea>
      )
    case 'tick':
      return <input {...common} type="checkbox" value="1" checked={value === '1'} />
    case 'day':
      return <input {...common} type="date" value={value} />
    case 'moment':
      return <input {...common} type="datetime-local" step="1" value={value} />
    case 'hours':
      return <input {...common} inputmode="decimal" value={value} />
    case 'person':
    case 'people':
      return <PersonInput {...common} value={value} />
    default:
      return (
        <>
          <input {...common} value={value} {...(options && { list: `${name}-options` })} />
          {options && (
            <datalist id={`${name}-options`}>
              {options.map((option) => (
                <option value={option} />
              ))}
            </datalist>
          )}
        </>
      )
  }
}

/** A login; the script suggests people whose names contain what is typed. */
export function PersonInput(props: {
  name: string
  value: string
  id?: string
  'aria-label'?: string
}) {
  return <input {...props} autocomplete="off" spellcheck={false} data-suggest="people" />
}
