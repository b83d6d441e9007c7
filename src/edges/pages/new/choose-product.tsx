import { Layout } from '../layout.tsx'
import type { PageRequest } from '../page.ts'
import { Form, LineInput, OptionList } from '../parts/form.tsx'
import { type GivenTexts, lostFile } from './controls.ts'
import { loadFilingPlaces } from './load.ts'

/** Fields that the page shows, and what a form has of its own. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['product', 'summary', 'description'],
  ...['form_token', 'file', 'lost', 'looked', 'moved'],
])

/** Asks for another product, and keeps what was typed for its form. */
export async function chooseProduct(request: PageRequest, given: GivenTexts) {
  const products = await loadFilingPlaces(request)
  const kept = [...given].filter(([name, value]) => !SHOWN.has(name) && value !== '')
  return (
    <Layout request={request} title="New bug" isUnlisted>
      <h1>New bug: where?</h1>
      <MissingProduct name={given.get('product') ?? ''} />
      {products.length === 0 && <p>There is no product in which you may file bugs.</p>}
      <Form request={request} action="/new" enctype="multipart/form-data">
        <input type="hidden" name="moved" value="1" />
        <input type="hidden" name="lost" value={lostFile(request, given)} />
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          Product
          <select name="product" required>
            <OptionList values={['', ...products.map(({ name }) => name)]} blank="Choose one" />
          </select>
        </label>
        <LineInput
          label="Summary"
          name="summary"
          required
          maxlength={255}
          value={given.get('summary') ?? ''}
        />
        <label>
          Description
          <textarea name="description" rows={10}>
            {given.get('description') ?? ''}
          </textarea>
        </label>
        <button type="submit">Go on</button>
      </Form>
    </Layout>
  )
}

export function MissingProduct({ name }: { name: string }) {
  return (
    <p class="notice refusal" role="alert">
      The product “{name}” does not exist, or you may not file bugs in it.
    </p>
  )
}
