import { HTTPException } from 'hono/http-exception'
import { productDenied } from '../../../platform/access/faults.ts'
import { Fault } from '../../../platform/faults/fault.ts'
import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { getProductFigures } from '../../../tracker/products/figures.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { Layout } from '../layout.tsx'
import { ask, type PageRequest } from '../page.ts'
import { Table } from '../parts/table.tsx'
import { BarChart, WeekChart } from './charts.tsx'

type Figures = Awaited<ReturnType<typeof loadProduct>>[1]

/** Components, versions and milestones that the page shows of each: it would not fit into memory with all of any. */
const MAX_SHOWN = 1000

/** A product: its components and who cares for them, its versions and milestones, and its figures. */
export async function showProduct(request: PageRequest) {
  const { name: given = '' } = request.path
  const [{ products }, figures] = await loadProduct(request, given)
  const [product] = products
  if (product === undefined) {
    throw new HTTPException(404)
  }
  const { name = '', description = '', components = [], versions = [], milestones = [] } = product
  return (
    <Layout
      request={request}
      title={name}
      description={description}
      canonical={`/products/${encodeURIComponent(name)}`}
    >
      <p class="muted">
        <a href="/products">Products</a>
        {product.classification !== 'Unclassified' && ` · ${product.classification}`}
      </p>
      <h1>{name}</h1>
      <p>{description}</p>
      <p class="bar">
        <a href={listOf(name, { status: '__open__' })}>{countOpen(figures)} open bugs</a>
        <a href={listOf(name, {})}>All bugs</a>
        {product.is_active ? (
          <a href={`/new?product=${encodeURIComponent(name)}`}>New bug</a>
        ) : (
          <span class="muted">It takes no new bugs.</span>
        )}
        <a href={listOf(name, { status: '__open__', ctype: 'atom', order: 'opendate DESC' })}>
          Feed
        </a>
      </p>
      <h2>Components</h2>
      <Components product={name} components={components} figures={figures} />
      <Figures product={name} figures={figures} />
      <h2>Versions and milestones</h2>
      <Parts product={name} label="Versions" field="version" parts={versions} />
      <Parts product={name} label="Milestones" field="target_milestone" parts={milestones} />
    </Layout>
  )
}

/** A product by its name, which may be a number that is the ID of another one. */
async function loadProduct(request: PageRequest, name: string) {
  const named = ask(request, getProducts, {
    names: [name],
    type: ['selectable'],
    exclude_fields: ['components.flag_types'],
  })
  const figuresOf = (product: string | number) =>
    ask(request, getProductFigures, { id_or_name: String(product) })
  try {
    return /^\d+$/.test(name)
      ? ([await named, await figuresOf((await named).products[0]?.id ?? name)] as const)
      : await Promise.all([named, figuresOf(name)])
  } catch (error) {
    throw error instanceof Fault && error.kind === productDenied ? new HTTPException(404) : error
  }
}

function listOf(product: string, more: Readonly<Record<string, string>>): string {
  return `/bugs?${new URLSearchParams({ product, ...more })}`
}

function countOpen({ open, is_complete: isComplete }: Figures): string {
  return `${open.toLocaleString('en')}${isComplete ? '' : '+'}`
}

type Component = {
  name?: string | undefined
  description?: string | undefined
  default_assigned_to?: string | undefined
  triage_owner?: string | undefined
  is_active?: boolean | undefined
}

function Components({
  product,
  components,
  figures,
}: {
  product: string
  components: readonly Component[]
  figures: Figures
}) {
  const open = new Map(figures.components.map((row) => [row.name, row.open]))
  return (
    <>
      <Table
        heads={[
          'Component',
          'Open',
          'Assignee at first',
          'Triage owner',
          <span class="muted">New</span>,
        ]}
        numbers={['Open']}
      >
        {components.slice(0, MAX_SHOWN).map((component) => {
          const { name = '', is_active: isActive = true } = component
          const at = new URLSearchParams({ product, component: name })
          return (
            <tr>
              <th scope="row">
                {name}
                {isActive || <span class="muted"> (closed)</span>}
                <br />
                <small class="muted">{component.description}</small>
              </th>
              <td class="number">
                <a href={listOf(product, { component: name, status: '__open__' })}>
                  {open.get(name) ?? 0}
                </a>
              </td>
              <td>{component.default_assigned_to}</td>
              <td>{component.triage_owner}</td>
              <td>{isActive && <a href={`/new?${at}`}>New bug here</a>}</td>
            </tr>
          )
        })}
      </Table>
      <Omitted of={components} />
    </>
  )
}

function Figures({ product, figures }: { product: string; figures: Figures }) {
  const { components, severities, ages, weeks } = figures
  return (
    <>
      <h2>Figures</h2>
      {figures.is_complete || <p class="muted">The product has more bugs than are counted here.</p>}
      <div class="columns">
        <BarChart
          label="Open by component"
          rows={components
            .toSorted((a, b) => b.open - a.open)
            .slice(0, MAX_SHOWN)
            .map(({ name, open }) => ({
              label: name,
              count: open,
              link: listOf(product, { component: name, status: '__open__' }),
            }))}
        />
        <BarChart
          label="Open by severity"
          rows={severities.map(({ name, open }) => ({
            label: name,
            count: open,
            link: listOf(product, { severity: name, status: '__open__' }),
          }))}
        />
        <BarChart
          label="Open by age"
          rows={ages.map(({ days, open }) => ({
            label: days === null ? 'older' : `up to ${days} days`,
            count: open,
          }))}
        />
      </div>
      <WeekChart weeks={weeks} />
    </>
  )
}

function Parts({
  product,
  label,
  field,
  parts,
}: {
  product: string
  label: string
  field: string
  parts: readonly { name?: string | undefined; is_active?: boolean | undefined }[]
}) {
  return (
    <p>
      {label}:{' '}
      {parts.slice(0, MAX_SHOWN).map(({ name = '', is_active: isActive }, index) => (
        <>
          {index > 0 && ', '}
          <a href={listOf(product, { [field]: name })}>{name}</a>
          {isActive === false && <span class="muted"> (closed)</span>}
        </>
      ))}
      <Omitted of={parts} />
    </p>
  )
}

function Omitted({ of }: { of: readonly unknown[] }) {
  const count = of.length - MAX_SHOWN
  if (count <= 0) {
    return null
  }
  const [many, most] = [count, MOST_OF_PAGE - MAX_SHOWN].map((all) => all.toLocaleString('en'))
  return (
    <span class="muted">
      {' '}
      {of.length > MOST_OF_PAGE ? `More than ${most}` : many} more are not shown. A search finds the
      bugs of each by its name.
    </span>
  )
}
