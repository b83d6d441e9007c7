import { createKey } from '../../../tracker/keys/create.ts'
import { listKeys } from '../../../tracker/keys/list.ts'
import { revokeKey } from '../../../tracker/keys/revoke.ts'
import { rotateKey } from '../../../tracker/keys/rotate.ts'
import {
  type Answer,
  ask,
  askOnce,
  assertWhollyRead,
  fieldText,
  type PageRequest,
} from '../page.ts'
import { Action, Form, LineInput, Tick } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { Table } from '../parts/table.tsx'
import { revealing, sendingTab, type Tab, TabFrame } from './tab.tsx'

/** The keys with which programs act for a person; each is shown once, when it is made. */
export const keysTab: Tab = {
  show: showKeys,
  send: {
    create: revealing(showKeys, async (request) => {
      const { api_key } = await askOnce(request, createKey, readForm(request))
      return api_key
    }),
    rotate: revealing(showKeys, async (request) => {
      const { api_key } = await askOnce(request, rotateKey, { id: fieldText(request, 'id') })
      return api_key
    }),
    ...sendingTab('keys', showKeys, {
      revoke: (request) => ask(request, revokeKey, { id: fieldText(request, 'id') }),
    }),
  },
}

function readForm(request: PageRequest) {
  const { form } = request
  const expires = fieldText(request, 'expires')
  const products = fieldText(request, 'products').trim()
  const read = {
    description: fieldText(request, 'description'),
    scopes: ['read', ...form.getAll('scopes')],
    ...(expires !== '' && { expires }),
    ...(products !== '' && { products: products.split(',').map((name) => name.trim()) }),
  }
  assertWhollyRead(request)
  return read
}

async function showKeys(request: PageRequest, refusal?: string, made?: string) {
  const { api_keys } = await ask(request, listKeys, {})
  const live = api_keys.filter((key) => !isOver(key, request.ctx.now))
  const over = api_keys.filter((key) => isOver(key, request.ctx.now))
  return (
    <TabFrame request={request} tab="keys">
      <p>
        A program that sends one of these keys acts for you.{' '}
        <a href="/docs/clients">Which clients</a> there are, and{' '}
        <a href="/docs/recipes">how to write one</a>.
      </p>
      {made !== undefined && <NewKey apiKey={made} origin={request.url.origin} />}
      <Refusal message={refusal} />
      {live.length > 0 && <KeyTable keys={live} request={request} />}
      <h2>New key</h2>
      <KeyForm request={request} />
      {over.length > 0 && (
        <details>
          <summary>Revoked and expired keys ({over.length})</summary>
          <KeyTable keys={over} />
        </details>
      )}
    </TabFrame>
  )
}

type Key = Answer<typeof listKeys>['api_keys'][number]

function isOver({ revoked, expires }: Key, now: number): boolean {
  return revoked === true || (expires != null && Date.parse(expires) <= now * 1000)
}

function NewKey({ apiKey, origin }: { apiKey: string; origin: string }) {
  return (
    <section class="notice">
      <h2>Your new key</h2>
      <p>It is shown this once. Copy it now, and keep it where nobody else reads it.</p>
      <p>
        <input readonly value={apiKey} aria-label="The new API key" data-copy />
      </p>
      <pre>
        <code>{`curl -H "X-TRACKER-API-KEY: ${apiKey}" ${origin}/rest/whoami`}</code>
      </pre>
      <pre>
        <code>{`bugzilla --bugzilla ${origin}/rest login --api-key`}</code>
      </pre>
    </section>
  )
}

/** Without a request, keys that nobody can change any more. */
function KeyTable({ keys, request }: { keys: readonly Key[]; request?: PageRequest }) {
  const heads = ['Description', 'Key', 'May', 'Last used', 'Expires', request && 'Change']
  return (
    <Table heads={heads}>
      {keys.map((key) => (
        <tr>
          <th scope="row">{key.description}</th>
          <td>
            <code>{key.prefix}…</code>
          </td>
          <td>
            {key.scopes?.join(', ')}
            {key.products && ` in ${key.products.join(', ')}`}
          </td>
          <td>
            {key.last_used ? <Moment at={key.last_used} /> : 'never'}
            {key.last_used_ip && <span class="muted"> {key.last_used_ip}</span>}
          </td>
          <td>{key.expires ? <Moment at={key.expires} /> : key.revoked ? 'revoked' : 'never'}</td>
          {request && (
            <td>
              <KeyActions request={request} id={key.id ?? 0} name={key.description ?? ''} />
            </td>
          )}
        </tr>
      ))}
    </Table>
  )
}

function KeyActions({ request, id, name }: { request: PageRequest; id: number; name: string }) {
  return (
    <Form request={request} isOnce action="/account/keys" class="row">
      <input type="hidden" name="id" value={String(id)} />
      <Action class="quiet" act="rotate" aria-label={`Replace ${name}`}>
        Replace
      </Action>
      <Action class="quiet" act="revoke" aria-label={`Revoke ${name}`}>
        Revoke
      </Action>
    </Form>
  )
}

function KeyForm({ request }: { request: PageRequest }) {
  const isSent = request.form.has('description')
  const may = (scope: string) => !isSent || request.form.getAll('scopes').includes(scope)
  return (
    <Form request={request} isOnce action="/account/keys">
      <div class="fields">
        <LineInput sent={request} label="What it is for" name="description" required />
        <LineInput sent={request} label="Expires on" type="date" name="expires" />
        <LineInput
          sent={request}
          label="For these products alone"
          name="products"
          placeholder="all products"
        />
        <fieldset>
          <legend>It may read, and also</legend>
          <Tick label="write" name="scopes" value="write" checked={may('write')} />
          <Tick label="administer" name="scopes" value="admin" checked={may('admin')} />
        </fieldset>
      </div>
      <Action act="create">Make a key</Action>
    </Form>
  )
}
