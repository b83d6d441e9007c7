import type { PropsWithChildren } from 'hono/jsx'
import { fieldText, type PageRequest } from '../page.ts'
import { Action, Form, LineInput, OptionList, Tick } from '../parts/form.tsx'
import { Table } from '../parts/table.tsx'

/**
 * What a form asks for; `names` is a list with commas, `choices` are boxes to tick, `switch` leaves what no answer
 * tells.
 */
export type ObjectField = {
  readonly name: string
  readonly label: string
  readonly kind?: 'line' | 'text' | 'number' | 'tick' | 'switch' | 'names' | 'choice' | 'choices'
  readonly options?: readonly string[]
  readonly isRequired?: boolean
}

// what most objects have

export const NAME: ObjectField = { name: 'name', label: 'Name', isRequired: true }
export const SORT_KEY: ObjectField = { name: 'sort_key', label: 'Sort key', kind: 'number' }
export const ABOUT: ObjectField = {
  name: 'description',
  label: 'Description',
  kind: 'text',
  isRequired: true,
}
export const OFFERED: ObjectField = { name: 'is_active', label: 'Offered for bugs', kind: 'tick' }

/** A value of a field. */
export const VALUE: readonly ObjectField[] = [
  NAME,
  SORT_KEY,
  { name: 'description', label: 'Description' },
  { ...OFFERED, kind: 'switch' },
]

/** By -1, 0 and 1, one more each. */
const SWITCH = ['as it is', 'no', 'yes']

export type ObjectValues = Readonly<Record<string, unknown>>

/** An object that is already there. */
export type Item = {
  /** What the operations call it. */
  readonly id: string
  readonly title: string
  readonly about?: string | undefined
  readonly isClosed?: boolean
  /** What its form shows; a page may load more of the one that is opened. */
  readonly values: ObjectValues
}

type ObjectsProps = {
  request: PageRequest
  /** Begins the names of the buttons, such as `version` of `version.save`. */
  kind: string
  title: string
  fields: readonly ObjectField[]
  items: readonly Item[]
  /** What a form for a new one shows at first; without it there is none. */
  fresh?: ObjectValues
  /** What people call one, if not by its kind. */
  singular?: string
  /** What a form for a new one asks for, if that differs. */
  freshFields?: readonly ObjectField[]
  canRemove?: boolean
  /** Whether the page shows the form of the opened one elsewhere. */
  isListOnly?: boolean
}

/** A table of objects, the form of the one that the address opens, and one for a new object. */
export function Objects(props: ObjectsProps) {
  const {
    request,
    kind,
    title,
    fields,
    items,
    fresh,
    freshFields = fields,
    canRemove,
    singular,
  } = props
  const opened = openedOf(request, kind)
  return (
    <section>
      <h2 id={kind}>{title}</h2>
      {items.length > 0 && (
        <Table heads={['Name', 'What it is']}>
          {items.map(({ id, title: name, about, isClosed }) => (
            <tr>
              <th scope="row">
                <a href={addressOf(request, kind, id)}>{name}</a>
                {isClosed && <span class="muted"> (closed)</span>}
              </th>
              <td>{about}</td>
            </tr>
          ))}
        </Table>
      )}
      {items.map(
        (item) =>
          item.id === opened &&
          !props.isListOnly && (
            <>
              <h3>{item.title}</h3>
              <ObjectForm
                request={request}
                kind={kind}
                id={item.id}
                fields={fields}
                values={item.values}
                buttons={canRemove ? { save: 'Save', remove: 'Remove' } : { save: 'Save' }}
              />
            </>
          ),
      )}
      {fresh && (
        <details open={items.length === 0 || opened === 'new'}>
          <summary>New {singular ?? kind}</summary>
          <ObjectForm
            request={request}
            kind={kind}
            id="new"
            fields={freshFields}
            values={fresh}
            buttons={{ create: 'Add' }}
          />
        </details>
      )}
    </section>
  )
}

/** The object of a kind whose form is open; `new` for a new one. */
export function openedOf({ url }: PageRequest, kind: string): string | undefined {
  const open = url.searchParams.get('open') ?? ''
  return open.startsWith(`${kind}.`) ? open.slice(kind.length + 1) : undefined
}

/** The object of some kinds whose form is open, unless it is a new one. */
export function openedOfAny(request: PageRequest, kinds: readonly string[]): string | undefined {
  return kinds.map((kind) => openedOf(request, kind)).find((id) => id !== undefined && id !== 'new')
}

/** The page with the form of an object open, and the rest of its address as it is. */
function addressOf({ url }: PageRequest, kind: string, id: string): string {
  const query = new URLSearchParams(url.searchParams)
  query.delete('done')
  query.set('open', `${kind}.${id}`)
  return `${url.pathname}?${query}#${encodeURIComponent(kind)}`
}

type FormProps = {
  request: PageRequest
  kind: string
  id: string
  fields: readonly ObjectField[]
  values: ObjectValues
  /** Labels by what the buttons do. */
  buttons: Readonly<Record<string, string>>
}

/** A form of an object; it shows what was typed when it was refused. */
export function ObjectForm(props: PropsWithChildren<FormProps>) {
  const { request, kind, id, fields, values, buttons, children } = props
  const isSent = request.form.has('do') && openedOf(request, kind) === id
  const typed = isSent ? readFields(request, fields) : values
  return (
    <Form request={request} isOnce={id === 'new'} action={addressOf(request, kind, id)}>
      {children}
      <div class="fields">
        {fields.map((one) => (
          <Control field={one} value={typed[one.name]} />
        ))}
      </div>
      <p class="row">
        {Object.entries(buttons).map(([act, label]) => (
          <Action
            act={`${kind}.${act}`}
            {...(act === 'remove' && { formnovalidate: true })}
            class={act === 'remove' ? 'quiet' : undefined}
          >
            {label}
          </Action>
        ))}
      </p>
    </Form>
  )
}

function Control({
  field: { name, label, kind, options = [], isRequired },
  value,
}: {
  field: ObjectField
  value: unknown
}) {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  const common = { name, required: isRequired }
  switch (kind) {
    case 'tick':
      return <Tick label={label} name={name} checked={Boolean(value)} />
    case 'text':
      return (
        <label>
          {label}
          <textarea {...common} rows={3}>
            {text}
          </textarea>
        </label>
      )
    case 'switch':
      return (
        <label>
          {label}
          <select name={name}>
            <OptionList values={SWITCH} chosen={SWITCH[Number(value ?? -1) + 1]} />
          </select>
        </label>
      )
    case 'choice':
      return (
        <label>
          {label}
          <select {...common}>
            <OptionList values={[...options, text]} chosen={text} />
          </select>
        </label>
      )
    case 'choices':
      return (
        <fieldset>
          <legend>{label}</legend>
          <div class="choices">
            {options.map((option) => (
              <Tick
                label={option}
                name={name}
                value={option}
                checked={Array.isArray(value) && value.includes(option)}
              />
            ))}
          </div>
        </fieldset>
      )
    default:
      return (
        <LineInput
          label={label}
          {...common}
          type={kind === 'number' ? 'number' : 'text'}
          value={text}
        />
      )
  }
}

/** What the form has, as the operations take it. */
export function readFields(request: PageRequest, fields: readonly ObjectField[]): ObjectValues {
  return Object.fromEntries(
    fields.map(({ name, kind }) => [name, readField(request, name, kind)] as const),
  )
}

function readField(request: PageRequest, name: string, kind: ObjectField['kind']) {
  const text = fieldText(request, name)
  switch (kind) {
    case 'tick':
      return request.form.has(name)
    case 'switch':
      return text === 'yes' ? true : text === 'no' ? false : undefined
    case 'choices':
      return request.form.getAll(name)
    case 'names':
      return text
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean)
    case 'number':
      return text.trim() === '' ? undefined : text.trim()
    default:
      return text
  }
}
