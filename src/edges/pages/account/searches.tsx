import { listSavedSearches } from '../../../tracker/saved-searches/list.ts'
import { removeSavedSearch } from '../../../tracker/saved-searches/remove.ts'
import { updateSavedSearch } from '../../../tracker/saved-searches/update.ts'
import { type Answer, ask, fieldText, type PageRequest } from '../page.ts'
import { Action, Form } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { sendingTab, type Tab, TabFrame } from './tab.tsx'

/** The searches that a person has saved, and those that others share with them. */
export const searchesTab: Tab = {
  show: showSearches,
  send: sendingTab('searches', showSearches, {
    save: (request) =>
      ask(request, updateSavedSearch, {
        id: fieldText(request, 'id'),
        name: fieldText(request, 'name'),
        shared_with: fieldText(request, 'shared_with'),
      }),
    remove: (request) => ask(request, removeSavedSearch, { id: fieldText(request, 'id') }),
  }),
}

type Saved = Answer<typeof listSavedSearches>['saved_searches'][number]

async function showSearches(request: PageRequest, refusal?: string) {
  const { saved_searches: all } = await ask(request, listSavedSearches, {})
  const own = all.filter(({ sharer_id }) => sharer_id === request.viewer?.id)
  const shared = all.filter(({ sharer_id }) => sharer_id !== request.viewer?.id)
  return (
    <TabFrame request={request} tab="searches">
      <Refusal message={refusal} />
      <p>
        <a href="/search">Search</a> for bugs, then save the search below its result.
      </p>
      {own.map((search) => (
        <SearchForm request={request} search={search} />
      ))}
      {shared.length > 0 && <h2>Shared with you</h2>}
      <ul>
        {shared.map((search) => (
          <li>
            <a href={`/bugs?${search.query}`}>{search.name}</a>{' '}
            <span class="muted">by {search.owner}</span>
          </li>
        ))}
      </ul>
    </TabFrame>
  )
}

function SearchForm({ request, search }: { request: PageRequest; search: Saved }) {
  return (
    <Form request={request} action="/account/searches" class="row">
      <input type="hidden" name="id" value={String(search.id)} />
      <a href={`/bugs?${search.query}`}>{search.name}</a>
      <input name="name" required value={search.name} aria-label={`New name of ${search.name}`} />
      <input
        name="shared_with"
        value={search.shared_with ?? ''}
        aria-label={`Group that ${search.name} is shared with`}
        placeholder="shared with no group"
      />
      <Action class="quiet" act="save">
        Save
      </Action>
      <Action class="quiet" act="remove" aria-label={`Remove ${search.name}`}>
        Remove
      </Action>
    </Form>
  )
}
