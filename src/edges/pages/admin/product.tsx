import { HTTPException } from 'hono/http-exception'
import { createComponent } from '../../../tracker/components/create.ts'
import { getComponent } from '../../../tracker/components/get.ts'
import { updateComponent } from '../../../tracker/components/update.ts'
import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { listControls, setControl } from '../../../tracker/products/group-controls.ts'
import { PART_OPERATIONS } from '../../../tracker/products/parts.ts'
import { updateProduct } from '../../../tracker/products/update.ts'
import { ask, fieldText, type PageRequest } from '../page.ts'
import { type Act, AdminFrame, type AdminPage, sending } from './frame.tsx'
import {
  ABOUT,
  NAME,
  type ObjectField,
  ObjectForm,
  Objects,
  OFFERED,
  openedOf,
  readFields,
  SORT_KEY,
} from './objects.tsx'

const PART = [NAME, SORT_KEY, OFFERED]

const PRODUCT: readonly ObjectField[] = [
  NAME,
  { name: 'default_version', label: 'Default version' },
  { name: 'default_milestone', label: 'Default milestone' },
  { name: 'default_bug_type', label: 'Default type of bugs' },
  ABOUT,
  { name: 'has_unconfirmed', label: 'New bugs may be unconfirmed', kind: 'tick' },
  { name: 'is_open', label: 'Takes new bugs', kind: 'tick' },
]

const COMPONENT: readonly ObjectField[] = [
  NAME,
  { name: 'default_assignee', label: 'Assignee at first (login)', isRequired: true },
  { name: 'default_qa_contact', label: 'QA contact at first (login)' },
  { name: 'triage_owner', label: 'Triage owner (login)' },
  { name: 'team_name', label: 'Team', isRequired: true },
  { name: 'default_bug_type', label: 'Default type of bugs' },
  ABOUT,
  { name: 'bug_description_template', label: 'Template of new bugs', kind: 'text' },
  OFFERED,
]

const CONTROLS = ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY']

const CONTROL: readonly ObjectField[] = [
  { name: 'membercontrol', label: 'Bugs of members', kind: 'choice', options: CONTROLS },
  { name: 'othercontrol', label: 'Bugs of others', kind: 'choice', options: CONTROLS },
  { name: 'entry', label: 'Only members file bugs', kind: 'tick' },
  { name: 'canedit', label: 'Only members change bugs', kind: 'tick' },
  { name: 'editcomponents', label: 'Members change the product', kind: 'tick' },
  { name: 'editbugs', label: 'Members edit its bugs', kind: 'tick' },
  { name: 'canconfirm', label: 'Members confirm its bugs', kind: 'tick' },
]

const NEW_CONTROL: readonly ObjectField[] = [
  { name: 'group', label: 'Group', isRequired: true },
  ...CONTROL,
]

/** A product with all that belongs to it. */
export const productPage: AdminPage = {
  show: showProduct,
  send: sending(showProduct, {
    'product.save': async (request) => {
      const values = readFields(request, PRODUCT)
      await ask(request, updateProduct, { id_or_name: openedOf(request, 'product'), ...values })
      return `/admin/products/${encodeURIComponent(fieldText(request, 'name').trim())}?done=1`
    },
    'component.create': (request) =>
      ask(request, createComponent, {
        product: nameOf(request),
        ...readFields(request, COMPONENT),
      }),
    'component.save': (request) =>
      ask(request, updateComponent, {
        product: nameOf(request),
        component: openedOf(request, 'component'),
        ...readFields(request, COMPONENT),
      }),
    ...partActs('version'),
    ...partActs('milestone'),
    'control.create': (request) =>
      ask(request, setControl, { ...inProduct(request), ...readFields(request, NEW_CONTROL) }),
    'control.save': (request) =>
      ask(request, setControl, {
        ...inProduct(request),
        group: openedOf(request, 'control'),
        ...readFields(request, CONTROL),
      }),
  }),
}

function nameOf({ path }: PageRequest): string {
  return path.name ?? ''
}

function inProduct(request: PageRequest) {
  return { product: nameOf(request) }
}

function partActs(kind: 'version' | 'milestone'): Record<string, Act> {
  const { create, update, remove } = PART_OPERATIONS[kind]
  const opened = (request: PageRequest) => ({
    ...inProduct(request),
    id_or_name: openedOf(request, kind),
  })
  return {
    [`${kind}.create`]: (request) =>
      ask(request, create, { ...inProduct(request), ...readFields(request, PART) }),
    [`${kind}.save`]: (request) =>
      ask(request, update, { ...opened(request), ...readFields(request, PART) }),
    [`${kind}.remove`]: (request) => ask(request, remove, opened(request)),
  }
}

async function showProduct(request: PageRequest, refusal?: string) {
  const name = nameOf(request)
  const opened = openedOf(request, 'component')
  const [{ products }, { group_controls: controls }, component] = await Promise.all([
    ask(request, getProducts, {
      names: [name],
      type: ['accessible'],
      exclude_fields: ['components.flag_types'],
    }),
    ask(request, listControls, { product: name }),
    opened === undefined || opened === 'new'
      ? null
      : ask(request, getComponent, { product: name, component: opened }),
  ])
  const [found] = products
  if (found === undefined) {
    throw new HTTPException(404)
  }
  const { components = [], versions = [], milestones = [] } = found
  return (
    <AdminFrame request={request} title={found.name ?? ''} refusal={refusal}>
      <p class="bar">
        <a href="/admin/products">All products</a>
        <a href={`/products/${encodeURIComponent(found.name ?? '')}`}>As people see it</a>
        <span class="muted">{found.classification}</span>
      </p>
      <ObjectForm
        request={request}
        kind="product"
        id={String(found.id)}
        fields={PRODUCT}
        values={{ ...found, is_open: found.is_active }}
        buttons={{ save: 'Save the product' }}
      />
      {[components, versions, milestones].some((list) => list.length > MOST_OF_PAGE) && (
        <p class="muted">
          The product has more parts than are listed here; the others can be changed by the API.
        </p>
      )}
      <Objects
        request={request}
        kind="component"
        title="Components"
        fields={COMPONENT}
        items={withOpened(components, component).map((one) => ({
          id: one.name ?? '',
          title: one.name ?? '',
          about: one.description,
          isClosed: one.is_active === false,
          values: { ...one, ...component },
        }))}
        fresh={{
          is_active: true,
          default_assignee: request.viewer?.login,
          team_name: found.name,
        }}
      />
      <Parts request={request} kind="version" title="Versions" parts={versions} />
      <Parts request={request} kind="milestone" title="Milestones" parts={milestones} />
      <Objects
        request={request}
        kind="control"
        singular="group control"
        title="Group controls"
        fields={CONTROL}
        freshFields={NEW_CONTROL}
        fresh={{ membercontrol: 'NA', othercontrol: 'NA' }}
        items={controls.map((control) => ({
          id: control.group ?? '',
          title: control.group ?? '',
          about: `${control.membercontrol} for members, ${control.othercontrol} for others`,
          values: control,
        }))}
      />
    </AdminFrame>
  )
}

/** Of more components than a page lists, the one that its address opens is among them. */
function withOpened<One extends { name?: string | undefined }>(
  components: readonly One[],
  opened: One | null,
): readonly One[] {
  const isListed = components.some(({ name }) => name === opened?.name)
  return opened === null || isListed ? components : [opened, ...components]
}

type Part = { id?: number; name?: string; sort_key?: number; is_active?: boolean }

function Parts({
  request,
  kind,
  title,
  parts,
}: {
  request: PageRequest
  kind: 'version' | 'milestone'
  title: string
  parts: readonly { [Name in keyof Part]: Part[Name] | undefined }[]
}) {
  return (
    <Objects
      request={request}
      kind={kind}
      title={title}
      fields={PART}
      items={parts.map((part) => ({
        id: String(part.id),
        title: part.name ?? '',
        about: `sort key ${part.sort_key}`,
        isClosed: part.is_active === false,
        values: part,
      }))}
      fresh={{ is_active: true, sort_key: 0 }}
      canRemove
    />
  )
}
