import { createField } from '../../../tracker/fields/create.ts'
import { getFields } from '../../../tracker/fields/get.ts'
import { updateField } from '../../../tracker/fields/update.ts'
import { createValue } from '../../../tracker/fields/value-create.ts'
import { removeValue } from '../../../tracker/fields/value-remove.ts'
import { updateValue } from '../../../tracker/fields/value-update.ts'
import { ask, type PageRequest } from '../page.ts'
import { Table } from '../parts/table.tsx'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'
import {
  type ObjectField,
  ObjectForm,
  Objects,
  type ObjectValues,
  openedOf,
  readFields,
  VALUE,
} from './objects.tsx'

/** By the numbers that the operations know. */
const TYPES = [
  '1 free text',
  '2 one choice',
  '3 several choices',
  '4 long text',
  '5 date and time',
  '6 bug',
  '9 date',
  '10 whole number',
]

const SHOWN = ['bug_severity', 'priority', 'rep_platform', 'op_sys', 'bug_type', 'resolution']

const FIELD: readonly ObjectField[] = [
  { name: 'display_name', label: 'Label' },
  { name: 'sort_key', label: 'Sort key', kind: 'number' },
  { name: 'is_mandatory', label: 'Has to be filled in', kind: 'tick' },
  { name: 'is_on_bug_entry', label: 'Asked for in new bugs', kind: 'tick' },
]

const SHOWING: readonly ObjectField[] = [
  { name: 'visibility_field', label: 'Shown only if this field' },
  { name: 'visibility_values', label: 'has one of these values', kind: 'names' },
]

/** Of a field with values. */
const VALUE_FIELD: ObjectField = {
  name: 'value_field',
  label: 'Field that decides which values are offered',
}

const OWN_FIELD: readonly ObjectField[] = [
  ...FIELD,
  ...SHOWING,
  { name: 'is_obsolete', label: 'Not used any more', kind: 'switch' },
]

const NEW_FIELD: readonly ObjectField[] = [
  { name: 'name', label: 'Name, which begins with cf_', isRequired: true },
  { name: 'type', label: 'Type', kind: 'choice', options: TYPES },
  ...FIELD,
  ...SHOWING,
]

/** Of a value, where another field decides. */
const OFFERED_FOR: ObjectField = {
  name: 'visibility_values',
  label: 'Offered only for these values of the deciding field',
  kind: 'names',
}

/** Fields of bugs: those of this tracker alone, and those whose values can be chosen. */
export const fieldsPage: AdminPage = {
  show: showFields,
  send: sending(showFields, {
    'field.create': async (request) => {
      const { type, ...values } = readFields(request, NEW_FIELD)
      const number = Number.parseInt(String(type), 10)
      await ask(request, createField, { type: number, ...dropBlank(values) })
      return pageOf(String(values.name).trim())
    },
  }),
}

/** A field with its values. */
export const fieldPage: AdminPage = {
  show: showField,
  send: sending(showField, {
    'field.save': (request) => {
      const { value_field: decider, ...values } = readFields(request, [...OWN_FIELD, VALUE_FIELD])
      const { visibility_field: shownBy, visibility_values: shownFor, ...rest } = values
      return ask(request, updateField, {
        id_or_name: nameOf(request),
        ...rest,
        visibility_field: shownBy,
        ...(shownBy !== '' && { visibility_values: shownFor }),
        ...(request.form.has('value_field') && { value_field: decider }),
      })
    },
    'value.create': (request) =>
      ask(request, createValue, { field: nameOf(request), ...readValue(request) }),
    'value.save': (request) =>
      ask(request, updateValue, { ...openedValue(request), ...readValue(request) }),
    'value.remove': (request) => ask(request, removeValue, openedValue(request)),
  }),
}

/** Without what was left blank, where that is no value. */
function dropBlank(values: ObjectValues): ObjectValues {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
}

function nameOf({ path }: PageRequest): string {
  return path.name ?? ''
}

function readValue(request: PageRequest): ObjectValues {
  const isDecided = request.form.has(OFFERED_FOR.name)
  return readFields(request, isDecided ? [...VALUE, OFFERED_FOR] : VALUE)
}

function openedValue(request: PageRequest) {
  return { field: nameOf(request), value: openedOf(request, 'value') }
}

function pageOf(name: string): string {
  return `/admin/fields/${encodeURIComponent(name)}?done=1`
}

async function showFields(request: PageRequest, refusal?: string) {
  const { fields: all } = await ask(request, getFields, { exclude_fields: ['values'] })
  const shown = all.filter(({ name = '', is_custom: isCustom }) => isCustom || SHOWN.includes(name))
  return (
    <AdminFrame request={request} title="Fields" refusal={refusal}>
      <Table heads={['Field', 'Label', 'Type']}>
        {shown.map(({ name = '', display_name: label, type }) => (
          <tr>
            <th scope="row">
              <a href={`/admin/fields/${encodeURIComponent(name)}`}>{name}</a>
            </th>
            <td>{label}</td>
            <td>{TYPES.find((one) => Number.parseInt(one, 10) === type)?.replace(/^\d+ /, '')}</td>
          </tr>
        ))}
      </Table>
      <p>
        Statuses have a page of their own: <a href="/admin/workflow">the workflow</a>.
      </p>
      <h2>New field</h2>
      <ObjectForm
        request={request}
        kind="field"
        id="new"
        fields={NEW_FIELD}
        values={{ type: TYPES[0] }}
        buttons={{ create: 'Create the field' }}
      />
    </AdminFrame>
  )
}

async function showField(request: PageRequest, refusal?: string) {
  const { fields: found } = await ask(request, getFields, { names: [nameOf(request)] })
  const [one] = found
  const { name = '', type, is_custom: isCustom, values = [], value_field: decider } = one ?? {}
  const hasValues = type === 2 || type === 3
  const valueFields = decider ? [...VALUE, OFFERED_FOR] : VALUE
  return (
    <AdminFrame request={request} title={`Field ${name}`} refusal={refusal}>
      <p>
        <a href="/admin/fields">All fields</a>
      </p>
      {isCustom && one && (
        <ObjectForm
          request={request}
          kind="field"
          id={name}
          fields={hasValues ? [...OWN_FIELD, VALUE_FIELD] : OWN_FIELD}
          values={one}
          buttons={{ save: 'Save the field' }}
        />
      )}
      {hasValues && (
        <Objects
          request={request}
          kind="value"
          title="Values"
          fields={valueFields}
          items={values.map((value) => ({
            id: value.name ?? '',
            title: value.name ?? '',
            about: value.description,
            values: value,
          }))}
          fresh={{}}
          canRemove
        />
      )}
    </AdminFrame>
  )
}
