import { getFields } from '../../../tracker/fields/get.ts'
import { createValue } from '../../../tracker/fields/value-create.ts'
import { removeValue } from '../../../tracker/fields/value-remove.ts'
import { updateValue } from '../../../tracker/fields/value-update.ts'
import { getConfiguration } from '../../server/configuration.ts'
import { ask, type PageRequest } from '../page.ts'
import { Action, Form } from '../parts/form.tsx'
import { Table } from '../parts/table.tsx'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'
import { type ObjectField, Objects, openedOf, readFields, VALUE } from './objects.tsx'
import { type DrawnStatus, WorkflowPicture } from './workflow-picture.tsx'

const NEW_STATUS: readonly ObjectField[] = [
  ...VALUE,
  { name: 'is_open', label: 'Bugs with it are open', kind: 'tick' },
  { name: 'can_be_initial', label: 'New bugs may have it', kind: 'tick' },
]

/** Statuses, and the moves between them. */
export const workflowPage: AdminPage = {
  show: showWorkflow,
  send: sending(showWorkflow, {
    'status.create': (request) =>
      ask(request, createValue, { field: 'bug_status', ...readFields(request, NEW_STATUS) }),
    'status.save': (request) =>
      ask(request, updateValue, { ...opened(request, 'status'), ...readFields(request, VALUE) }),
    'status.remove': (request) => ask(request, removeValue, opened(request, 'status')),
    'moves.save': (request) =>
      ask(request, updateValue, {
        ...opened(request, 'moves'),
        can_be_initial: request.form.has('initial'),
        is_open: request.form.has('is_open'),
        can_change_to: request.form.getAll('to').map((name) => ({
          name: String(name),
          comment_required: request.form.getAll('with_comment').includes(name),
        })),
      }),
  }),
}

function opened(request: PageRequest, kind: string) {
  return { field: 'bug_status', value: openedOf(request, kind) }
}

async function showWorkflow(request: PageRequest, refusal?: string) {
  const [{ fields }, { field: configured }] = await Promise.all([
    ask(request, getFields, { names: ['bug_status'] }),
    ask(request, getConfiguration, { include_fields: ['field.status'] }),
  ])
  const starts = configured?.status?.transitions?.['{Start}'] ?? []
  const values = fields[0]?.values ?? []
  const statuses = values.map(
    ({ name = '', is_open: isOpen = true, can_change_to: moves = [] }): DrawnStatus => ({
      name,
      isOpen,
      isInitial: starts.includes(name),
      moves: moves.map((move) => ({ to: move.name, needsComment: move.comment_required })),
    }),
  )
  return (
    <AdminFrame request={request} title="Workflow" refusal={refusal}>
      <section class="wide" aria-label="Picture of the workflow" tabindex={0}>
        <WorkflowPicture statuses={statuses} />
      </section>
      <h2 id="moves">Moves</h2>
      <p>
        Each row says where bugs of a status may go, and which moves need a comment that says why.
        It is saved by its own button.
      </p>
      <MoveTable request={request} statuses={statuses} />
      <Objects
        request={request}
        kind="status"
        title="Statuses"
        fields={VALUE}
        freshFields={NEW_STATUS}
        fresh={{ is_open: true }}
        items={values.map((value) => ({
          id: value.name ?? '',
          title: value.name ?? '',
          about: value.description,
          values: value,
        }))}
        canRemove
      />
    </AdminFrame>
  )
}

type TableProps = { request: PageRequest; statuses: readonly DrawnStatus[] }

/** From each status to each other; a row is a form. */
function MoveTable({ request, statuses }: TableProps) {
  const names = statuses.map(({ name }) => name)
  return (
    <Table heads={['From', 'Open', 'First', ...names, 'Save']}>
      {statuses.map((status, index) => (
        <MoveRow
          request={request}
          status={typedOr(request, status)}
          names={names}
          form={`moves-${index}`}
        />
      ))}
    </Table>
  )
}

/** What was ticked when the row was refused. */
function typedOr(request: PageRequest, status: DrawnStatus): DrawnStatus {
  const { form } = request
  if (!form.has('do') || openedOf(request, 'moves') !== status.name) {
    return status
  }
  const moves = form.getAll('to').map((to) => ({
    to: String(to),
    needsComment: form.getAll('with_comment').includes(to),
  }))
  return { ...status, isOpen: form.has('is_open'), isInitial: form.has('initial'), moves }
}

function MoveRow({
  request,
  status,
  names,
  form,
}: {
  request: PageRequest
  status: DrawnStatus
  names: readonly string[]
  form: string
}) {
  const { name, isOpen, isInitial, moves } = status
  const tick = (field: string, label: string, checked: boolean, value = 'on') => (
    <input
      type="checkbox"
      form={form}
      name={field}
      value={value}
      checked={checked}
      aria-label={label}
    />
  )
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{tick('is_open', `Bugs with ${name} are open`, isOpen)}</td>
      <td>{tick('initial', `New bugs may have ${name}`, isInitial)}</td>
      {names.map((to) => (
        <td>
          {to !== name && (
            <>
              {tick(
                'to',
                `From ${name} to ${to}`,
                moves.some((move) => move.to === to),
                to,
              )}
              <span class="muted">
                {' '}
                {tick(
                  'with_comment',
                  `From ${name} to ${to} with a comment`,
                  moves.some((move) => move.to === to && move.needsComment),
                  to,
                )}
                saying why
              </span>
            </>
          )}
        </td>
      ))}
      <td>
        <Form
          request={request}
          id={form}
          action={`/admin/workflow?open=${encodeURIComponent(`moves.${name}`)}#moves`}
        >
          <Action class="quiet" act="moves.save" aria-label={`Save the moves from ${name}`}>
            Save
          </Action>
        </Form>
      </td>
    </tr>
  )
}
