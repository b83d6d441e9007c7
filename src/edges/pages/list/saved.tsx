import { fault } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { createSavedSearch } from '../../../tracker/saved-searches/create.ts'
import { savedSearchUnknown } from '../../../tracker/saved-searches/faults.ts'
import { listSavedSearches } from '../../../tracker/saved-searches/list.ts'
import { removeSavedSearch } from '../../../tracker/saved-searches/remove.ts'
import { updateSavedSearch } from '../../../tracker/saved-searches/update.ts'
import { Layout } from '../layout.tsx'
import { ask, fieldText, orAgain, type PageRequest, redirectTo } from '../page.ts'
import { Form, LineInput } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { type ListQuery, writeCriteria } from './query.ts'

/** Names the search of a list, or forgets the one that the list runs; nothing for the anonymous. */
export function Keep({ request, query }: { request: PageRequest; query: ListQuery }) {
  const { viewer } = request
  const [named] = query.criteria.savedsearch ?? query.criteria.namedcmd ?? []
  const [sharer = String(viewer?.id)] = query.criteria.sharer_id ?? []
  if (viewer === null || (named !== undefined && sharer !== String(viewer.id))) {
    return null
  }
  return named === undefined ? (
    <details>
      <summary>Save this search</summary>
      <SaveForm request={request} query={writeCriteria(query)} />
    </details>
  ) : (
    <Form request={request} action="/saved">
      <input type="hidden" name="name" value={named} />
      <button type="submit" class="quiet" name="forget" value="1">
        Forget this search
      </button>
    </Form>
  )
}

function SaveForm({ request, query }: { request: PageRequest; query: string }) {
  return (
    <Form request={request} action="/saved">
      <input type="hidden" name="query" value={query} />
      <div class="fields">
        <LineInput sent={request} label="Name" name="name" required maxlength={64} />
        <LineInput
          sent={request}
          label="Shared with the group"
          name="shared_with"
          placeholder="nobody else"
        />
      </div>
      <p class="muted">A search of yours with this name is replaced.</p>
      <button type="submit" class="quiet">
        Save
      </button>
    </Form>
  )
}

/** Saves a search under a name, in the place of an own one of this name, or forgets that. */
export async function sendSaved(request: PageRequest) {
  const name = fieldText(request, 'name').trim()
  const query = fieldText(request, 'query')
  return orAgain(
    request,
    async () => {
      const { saved_searches: known } = await ask(request, listSavedSearches, {
        exclude_fields: ['query'],
      })
      const own = known.find(
        (one) => one.sharer_id === request.viewer?.id && fold(one.name ?? '') === fold(name),
      )
      if (fieldText(request, 'forget') !== '') {
        if (own === undefined) {
          throw fault(savedSearchUnknown, { field: 'name', name, sharerId: null })
        }
        await ask(request, removeSavedSearch, { id: own.id })
        return redirectTo('/')
      }
      const shared_with = fieldText(request, 'shared_with')
      await (own === undefined
        ? ask(request, createSavedSearch, { name, query, shared_with })
        : ask(request, updateSavedSearch, { id: own.id, query, shared_with }))
      const run = new URLSearchParams({ savedsearch: name, sharer_id: String(request.viewer?.id) })
      return redirectTo(`/bugs?${run}`)
    },
    (refusal) => (
      <Layout request={request} title="Save a search" isUnlisted>
        <h1>Save a search</h1>
        <Refusal message={refusal} />
        <SaveForm request={request} query={query} />
        <p>
          <a href={`/bugs?${new URLSearchParams(query)}`}>Back to the list</a>
        </p>
      </Layout>
    ),
  )
}
