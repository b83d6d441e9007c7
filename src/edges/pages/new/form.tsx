import { maySetPrivacy } from '../../../platform/access/privacy.ts'
import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { EditFields } from '../bug/edit.tsx'
import type { State } from '../bug/state.ts'
import { Layout } from '../layout.tsx'
import type { PageRequest } from '../page.ts'
import { Form, LineInput, OptionList, Tick } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { FORM_ID } from '../sent-form.ts'
import { controlsOfNew, FURTHER, type GivenTexts, lostFile } from './controls.ts'
import type { FindableBug } from './duplicates.tsx'
import { DuplicateList } from './duplicates.tsx'
import { type Entry, findChosenComponent } from './load.ts'

type FormProps = {
  request: PageRequest
  entry: Entry & {}
  given: GivenTexts
  state: Pick<State, 'refusal'>
  /** Bugs that may be the same, found when the form was sent; it files when it is sent again. */
  found?: readonly FindableBug[]
}

export function NewBugForm({ request, entry, given, state, found }: FormProps) {
  const { name: product = '', components = [] } = entry.product
  const component = findChosenComponent(entry, given.get('component'))
  const controls = controlsOfNew(request, entry, given)
  const typed = (name: string) => given.get(name) ?? ''
  const description = given.get('description') ?? entry.chosen?.bug_description_template
  return (
    <Layout request={request} title={`New bug in ${product}`} isUnlisted>
      <h1>New bug</h1>
      <p>
        {product}{' '}
        {component && (
          <>
            › <strong>{component.name}</strong> <span class="muted">{component.description}</span>
          </>
        )}{' '}
        <a href={`/new?product=${encodeURIComponent(product)}`}>Change</a>
      </p>
      <Refusal message={state.refusal?.message} />
      {found !== undefined && (
        <section class="notice" role="status">
          <h2>Is it one of these?</h2>
          <DuplicateList bugs={found} />
          <p>If it is not, send the form again.</p>
        </section>
      )}
      <Form request={request} action="/new" enctype="multipart/form-data">
        <input type="hidden" name={FORM_ID} value={typed(FORM_ID) || crypto.randomUUID()} />
        <input type="hidden" name="product" value={product} />
        {component ? (
          <input type="hidden" name="component" value={component.name} />
        ) : (
          <ComponentField components={components} typed={typed('component')} />
        )}
        {found !== undefined && <input type="hidden" name="looked" value="1" />}
        <LineInput
          label="Summary"
          name="summary"
          required
          maxlength={255}
          value={typed('summary')}
          data-duplicates={product}
          {...(found === undefined && { autofocus: true })}
        />
        <div id="possible-duplicates" aria-live="polite"></div>
        <label>
          Description
          <textarea
            name="description"
            rows={10}
            placeholder="Markdown: what you did, what happened, what should have"
          >
            {description}
          </textarea>
        </label>
        <EditFields state={state} controls={controls.filter(({ name }) => !FURTHER.has(name))} />
        <details open={state.refusal?.field !== undefined && FURTHER.has(state.refusal.field)}>
          <summary>People, dependencies, groups and more</summary>
          <EditFields state={state} controls={controls.filter(({ name }) => FURTHER.has(name))} />
        </details>
        <FileFields typed={typed} lost={lostFile(request, given)} />
        {maySetPrivacy(request.ctx.caller, false, true) && (
          <Tick label="The description is private" name="private" checked={given.has('private')} />
        )}
        <button type="submit">File the bug</button>
      </Form>
    </Layout>
  )
}

type Component = NonNullable<(Entry & {})['product']['components']>[number]

/** In the place of a component that the product does not have any more. */
function ComponentField({
  components,
  typed,
}: {
  components: readonly Component[]
  typed: string
}) {
  return components.length > MOST_OF_PAGE ? (
    <LineInput label="Component" name="component" required value={typed} />
  ) : (
    <label>
      Component
      <select name="component" required>
        <OptionList
          values={['', ...components.flatMap((one) => (one.is_active === false ? [] : one.name))]}
          blank="Choose one"
        />
      </select>
    </label>
  )
}

type FileProps = {
  typed: (name: string) => string
  lost: string
}

function FileFields({ typed, lost }: FileProps) {
  return (
    <div class="fields">
      <label>
        Attach a file
        <input type="file" name="file" />
        {lost !== '' && <small class="refused">Choose “{lost}” again.</small>}
      </label>
      <LineInput label="What it shows" name="file_summary" value={typed('file_summary')} />
    </div>
  )
}
