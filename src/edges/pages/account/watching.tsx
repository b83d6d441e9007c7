import type { PropsWithChildren } from 'hono/jsx'
import { getPreferences } from '../../../tracker/preferences/get.ts'
import { updatePreferences } from '../../../tracker/preferences/update.ts'
import { ask, fieldText, type PageRequest } from '../page.ts'
import { Action, Form } from '../parts/form.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { sendingTab, type Tab, TabFrame } from './tab.tsx'

/** Whom and what a person watches, and of which bugs they want no mail. */
export const watchingTab: Tab = {
  show: showWatching,
  send: sendingTab('watching', showWatching, {
    person: edit((request, action) => ({
      watching: { [action]: [fieldText(request, 'login').trim()] },
    })),
    place: edit((request, action) => {
      const component = fieldText(request, 'component').trim()
      const place = { product: fieldText(request, 'product').trim(), component: component || null }
      return { watching_components: { [action]: [place] } }
    }),
    bug: edit((request, action) => ({
      ignored_bugs: { [action]: [fieldText(request, 'bug').trim()] },
    })),
  }),
}

/** A form that adds an item to a list, or whose field `remove` says that it takes one away. */
function edit(toUpdate: (request: PageRequest, action: 'add' | 'remove') => object) {
  return (request: PageRequest) =>
    ask(request, updatePreferences, {
      id_or_name: String(request.viewer?.id),
      ...toUpdate(request, request.form.has('remove') ? 'remove' : 'add'),
    })
}

async function showWatching(request: PageRequest, refusal?: string) {
  const lists = await ask(request, getPreferences, { id_or_name: String(request.viewer?.id) })
  const { watching = [], watching_components: places = [], ignored_bugs: ignored = [] } = lists
  return (
    <TabFrame request={request} tab="watching">
      <Refusal message={refusal} />
      <h2>People</h2>
      <p>You get the mails that somebody else gets, as far as you may see the bugs.</p>
      <ItemList
        request={request}
        kind="person"
        items={watching.map((login) => ({ title: login, fields: { login } }))}
      />
      <Adding request={request} kind="person" label="Watch a person">
        <input name="login" required aria-label="Login of the person" placeholder="login" />
      </Adding>
      <h2>Products and components</h2>
      <p>You get mails about their bugs, as the column “Watcher” of your mail says.</p>
      <ItemList
        request={request}
        kind="place"
        items={places.map(({ product, component }) => ({
          title: component === null ? product : `${product} › ${component}`,
          fields: { product, component: component ?? '' },
        }))}
      />
      <Adding request={request} kind="place" label="Watch a place">
        <input name="product" required aria-label="Product" placeholder="product" />
        <input name="component" aria-label="Component, or all" placeholder="component, or all" />
      </Adding>
      <h2>Ignored bugs</h2>
      <p>
        You get no mail about them, whatever part you play, unless somebody asks you for a flag.
      </p>
      <ItemList
        request={request}
        kind="bug"
        items={ignored.map((id) => ({
          title: `Bug ${id}`,
          href: `/bug/${id}`,
          fields: { bug: String(id) },
        }))}
      />
      <Adding request={request} kind="bug" label="Ignore a bug">
        <input name="bug" required aria-label="Number of the bug" placeholder="number" />
      </Adding>
    </TabFrame>
  )
}

type Item = {
  readonly title: string
  readonly href?: string
  readonly fields: Record<string, string>
}

function ItemList(props: { request: PageRequest; kind: string; items: readonly Item[] }) {
  const { request, kind, items } = props
  return items.length === 0 ? (
    <p class="muted">None.</p>
  ) : (
    <ul class="plain">
      {items.map(({ title, href, fields }) => (
        <li>
          <Form request={request} action="/account/watching" class="row">
            <input type="hidden" name="remove" value="1" />
            {Object.entries(fields).map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            {href === undefined ? <span>{title}</span> : <a href={href}>{title}</a>}
            <Action class="quiet" act={kind} aria-label={`Remove ${title}`}>
              Remove
            </Action>
          </Form>
        </li>
      ))}
    </ul>
  )
}

type AddingProps = PropsWithChildren<{ request: PageRequest; kind: string; label: string }>

function Adding({ request, kind, label, children }: AddingProps) {
  return (
    <Form request={request} action="/account/watching" class="row">
      {children}
      <Action act={kind}>{label}</Action>
    </Form>
  )
}
