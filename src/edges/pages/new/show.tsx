import { loggedIn } from '../../../platform/http/operations/operation.ts'
import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { Layout } from '../layout.tsx'
import { type PageRequest, redirectTo } from '../page.ts'
import { LineInput } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { MissingProduct } from './choose-product.tsx'
import { type GivenTexts, readAddress } from './controls.ts'
import { NewBugForm } from './form.tsx'
import { type Entry, findChosenComponent, loadEntry, loadFilingPlaces } from './load.ts'

/** Product, then component, then the form; an address that names them leads straight to it. */
export async function showNew(request: PageRequest) {
  loggedIn.grant(request.ctx, {})
  const given = readAddress(request)
  const product = given.get('product')
  const entry =
    product === undefined ? null : await loadEntry(request, product, given.get('component'))
  if (entry === null) {
    return showProducts(request, product)
  }
  const components = (entry.product.components ?? []).filter(({ is_active }) => is_active !== false)
  const chosen = findChosenComponent(entry, given.get('component'))
  const isChosen = chosen !== undefined && chosen.is_active !== false
  if (!isChosen && components.length > 1) {
    return <ChooseComponent request={request} entry={entry} />
  }
  const component = isChosen ? chosen.name : components[0]?.name
  const named: GivenTexts = new Map([...given, ['component', component ?? '']])
  return <NewBugForm request={request} entry={entry} given={named} state={{}} />
}

/** The old address takes the same parameters. */
export async function leadToNew({ url }: PageRequest) {
  return redirectTo(`/new${url.search}`)
}

async function showProducts(request: PageRequest, missing: string | undefined) {
  const products = await loadFilingPlaces(request)
  const [only] = products
  if (missing === undefined && only !== undefined && products.length === 1) {
    return redirectTo(pathWith(request, { product: only.name }))
  }
  return (
    <Layout request={request} title="New bug" isUnlisted>
      <h1>New bug: where?</h1>
      {missing !== undefined && <MissingProduct name={missing} />}
      {products.length === 0 && <p>There is no product in which you may file bugs.</p>}
      <dl>
        {products.map(({ name, description }) => (
          <>
            <dt>
              <a href={pathWith(request, { product: name })}>{name}</a>
            </dt>
            <dd>{description}</dd>
          </>
        ))}
      </dl>
    </Layout>
  )
}

function ChooseComponent({ request, entry }: { request: PageRequest; entry: Entry & {} }) {
  const { name: product = '', components = [] } = entry.product
  return (
    <Layout request={request} title={`New bug in ${product}`} isUnlisted>
      <h1>New bug in {product}: which part?</h1>
      {components.length > MOST_OF_PAGE && <TypedComponent request={request} product={product} />}
      <dl>
        {components
          .filter(({ is_active }) => is_active !== false)
          .map(({ name, description }) => (
            <>
              <dt>
                <a href={pathWith(request, { product, component: name })}>{name}</a>
              </dt>
              <dd>{description}</dd>
            </>
          ))}
      </dl>
      <p>
        <a href="/new">Another product</a>
      </p>
    </Layout>
  )
}

/** For one that is not listed, where a product has more components than a page lists. */
function TypedComponent({ request, product }: { request: PageRequest; product: string }) {
  const others = [...request.url.searchParams].filter(
    ([name]) => name !== 'product' && name !== 'component',
  )
  const missing = request.url.searchParams.get('component') ?? ''
  return (
    <form action="/new">
      <p>There are more components than are listed here. Type the name of any of them.</p>
      {missing !== '' && (
        <Refusal message={`There is no component “${missing}” that takes new bugs.`} />
      )}
      <input type="hidden" name="product" value={product} />
      {others.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <LineInput label="Component" name="component" required value={missing} />
      <button type="submit">Go on</button>
    </form>
  )
}

/** This address, with all that it prefills, for one more choice. */
function pathWith(
  { url }: PageRequest,
  choice: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams(url.searchParams)
  for (const [name, value = ''] of Object.entries(choice)) {
    query.set(name, value)
  }
  return `/new?${query}`
}
