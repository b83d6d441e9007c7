import { getClassifications } from '../../../tracker/products/classification.ts'
import { Layout } from '../layout.tsx'
import { ask, movedTo, type PageRequest } from '../page.ts'

/** The products that the reader may search, by classification; the old address names one of them. */
export async function showProducts(request: PageRequest) {
  const { url, route } = request
  if (route !== '/products') {
    const product = url.searchParams.get('product')
    return movedTo(product ? `/products/${encodeURIComponent(product)}` : '/products')
  }
  return (
    <Layout
      request={request}
      title="Products"
      description="Products, their components, and how many bugs they have."
    >
      <h1>Products</h1>
      {await listProducts(request)}
      <p>
        <a href="/keywords">Keywords</a>
      </p>
    </Layout>
  )
}

export async function listProducts(request: PageRequest) {
  const { classifications } = await ask(request, getClassifications, {})
  const filled = classifications.filter(({ products = [] }) => products.length > 0)
  if (filled.length === 0) {
    return <p class="muted">There is no product that you may look into.</p>
  }
  return filled.map(({ name, description, products = [] }) => (
    <section>
      {filled.length > 1 ? (
        <>
          <h2>{name}</h2>
          {description && <p class="muted">{description}</p>}
        </>
      ) : (
        request.route !== '/products' && <h2>Products</h2>
      )}
      <dl class="items">
        {products.map((product) => (
          <div>
            <dt>
              <a href={`/products/${encodeURIComponent(product.name ?? '')}`}>{product.name}</a>
            </dt>
            <dd>{product.description}</dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}
