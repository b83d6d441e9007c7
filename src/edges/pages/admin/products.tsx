import { getClassifications } from '../../../tracker/products/classification.ts'
import {
  createClassification,
  removeClassification,
  updateClassification,
} from '../../../tracker/products/classification-edits.ts'
import { createProduct } from '../../../tracker/products/create.ts'
import { getProducts } from '../../../tracker/products/get.ts'
import { ask, fieldText, type PageRequest } from '../page.ts'
import { Table } from '../parts/table.tsx'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'
import {
  ABOUT,
  NAME,
  type ObjectField,
  ObjectForm,
  Objects,
  openedOf,
  readFields,
  SORT_KEY,
} from './objects.tsx'

const CLASSIFICATION = [NAME, { name: 'description', label: 'Description' }, SORT_KEY]

function productFields(classifications: readonly string[]): readonly ObjectField[] {
  return [
    NAME,
    { name: 'classification', label: 'Classification', kind: 'choice', options: classifications },
    { name: 'default_version', label: 'First version' },
    { name: 'default_milestone', label: 'First milestone' },
    ABOUT,
    { name: 'has_unconfirmed', label: 'New bugs may be unconfirmed', kind: 'tick' },
    { name: 'is_open', label: 'Takes new bugs', kind: 'tick' },
  ]
}

const FRESH = {
  default_version: 'unspecified',
  default_milestone: '---',
  has_unconfirmed: true,
  is_open: true,
}

/** Products by classification. */
export const productsPage: AdminPage = {
  show: showProducts,
  send: sending(showProducts, {
    'product.create': async (request) => {
      await ask(request, createProduct, readFields(request, productFields([])))
      return `/admin/products/${encodeURIComponent(fieldText(request, 'name').trim())}?done=1`
    },
    'classification.create': (request) =>
      ask(request, createClassification, readFields(request, CLASSIFICATION)),
    'classification.save': (request) =>
      ask(request, updateClassification, {
        id_or_name: openedOf(request, 'classification'),
        ...readFields(request, CLASSIFICATION),
      }),
    'classification.remove': (request) =>
      ask(request, removeClassification, { id_or_name: openedOf(request, 'classification') }),
  }),
}

async function showProducts(request: PageRequest, refusal?: string) {
  const [{ classifications }, { products: all }] = await Promise.all([
    ask(request, getClassifications, { exclude_fields: ['products'] }),
    ask(request, getProducts, {
      type: ['accessible'],
      include_fields: ['name', 'description', 'classification', 'is_active'],
    }),
  ])
  const names = classifications.map(({ name = '' }) => name)
  return (
    <AdminFrame request={request} title="Products" refusal={refusal}>
      <Table heads={['Product', 'Classification', 'What it is']}>
        {all.map(({ name = '', description, classification, is_active: isActive }) => (
          <tr>
            <th scope="row">
              <a href={`/admin/products/${encodeURIComponent(name)}`}>{name}</a>
              {isActive || <span class="muted"> (closed)</span>}
            </th>
            <td>{classification}</td>
            <td>{description}</td>
          </tr>
        ))}
      </Table>
      <h2>New product</h2>
      <ObjectForm
        request={request}
        kind="product"
        id="new"
        fields={productFields(names)}
        values={{ ...FRESH, classification: names[0] }}
        buttons={{ create: 'Create the product' }}
      />
      <Objects
        request={request}
        kind="classification"
        title="Classifications"
        fields={CLASSIFICATION}
        items={classifications.map((one) => ({
          id: String(one.id),
          title: one.name ?? '',
          about: one.description,
          values: one,
        }))}
        fresh={{}}
        canRemove
      />
    </AdminFrame>
  )
}
