import { createKey } from '../../../tracker/keys/create.ts'
import { listKeys } from '../../../tracker/keys/list.ts'
import { revokeKey } from '../../../tracker/keys/revoke.ts'
import { rotateKey } from '../../../tracker/keys/rotate.ts'
import { FormToken } from '../layout.tsx'
import { ask, field, orAgain, type PageRequest } from '../page.ts'
import { Moment } from '../parts/moment.tsx'
import { Refusal } from '../parts/refusal.tsx'
import { sending, type Tab, TabFrame } from './tab.tsx'

/** The keys with which programs act for a person; each is shown once, when it is made. */
export const keysTab: Tab = {
  show: (request) => showKeys(request),
  send: {
    create: making((request) => ask(request, createKey, readForm(request))),
    rotate: making((request) => ask(request, rotateKey, { id: field(request, 'id') })),
    revoke: sending('keys', showRefusal, (request) =>
      ask(request, revokeKey, { id: field(request, 'id') }),
    ),
  },
}

/** Shows the key that is made, which nothing can show again. */
function making(act: (request: PageRequest) => Promise<{ api_key: string }>) {
  return (request: PageRequest) =>
    orAgain(
      request,
      async () => showKeys(request, { made: (await act(request)).api_key }),
      (refusal) => showRefusal(request, refusal),
    )
}

function showRefusal(request: PageRequest, refusal: string) {
  return showKeys(request, { refusal })
}

function readForm(request: PageRequest) {
  const { form } = request
  const expires = field(request, 'expires')
  const products = field(request, 'products').trim()
  return {
    description: field(request, 'description'),
    scopes: ['read', ...form.getAll('scopes')],
    ...(expires !== '' && { expires }),
    ...(products !== '' && { products: products.split(',').map((name) => name.trim()) }),
  }
}

type Outcome = { readonly made?: string; readonly refusal?: string }

async function showKeys(request: PageRequest, { made, refusal }: Outcome = {}) {
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
      {live.length > 0 && <KeyTable keys={live} formToken={request.formToken} />}
      <h2>New key</h2>
      <KeyForm request={request} />
      {over.length > 0 && (
        <details>
          <summary>Revoked and expired keys ({over.length})</summary>
          <KeyTable keys={over} formToken={null} />
        </details>
      )}
    </TabFrame>
  )
}

type Key = Awaited<ReturnType<typeof ask<typeof listKeys.output>>>['api_keys'][number]

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

function KeyTable({ keys, formToken }: { keys: readonly Key[]; formToken: string | null }) {
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Description</th>
            <th scope="col">Key</th>
            <th scope="col">May</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires</th>
            {formToken !== null && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
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
              <td>
                {key.expires ? <Moment at={key.expires} /> : key.revoked ? 'revoked' : 'never'}
              </td>
              {formToken !== null && (
                <td>
                  <KeyActions id={key.id ?? 0} formToken={formToken} name={key.description ?? ''} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function KeyActions({ id, formToken, name }: { id: number; formToken: string; name: string }) {
  return (
    <form method="post" action="/account/keys" class="row">
      <FormToken value={formToken} />
      <input type="hidden" name="id" value={String(id)} />
      <button class="quiet" type="submit" name="do" value="rotate" aria-label={`Replace ${name}`}>
        Replace
      </button>
      <button class="quiet" type="submit" name="do" value="revoke" aria-label={`Revoke ${name}`}>
        Revoke
      </button>
    </form>
  )
}

function KeyForm({ request }: { request: PageRequest }) {
  const isSent = request.form.has('description')
  const may = (scope: string) => !isSent || request.form.getAll('scopes').includes(scope)
  return (
    <form method="post" action="/account/keys">
      <FormToken value={request.formToken} />
      <div class="fields">
        <label>
          What it is for
          <input name="description" required value={field(request, 'description')} />
        </label>
        <label>
          Expires on
          <input type="date" name="expires" value={field(request, 'expires')} />
        </label>
        <label>
          For these products alone
          <input name="products" value={field(request, 'products')} placeholder="all products" />
        </label>
        <fieldset>
          <legend>It may read, and also</legend>
          <label>
            <input type="checkbox" name="scopes" value="write" checked={may('write')} /> write
          </label>
          <label>
            <input type="checkbox" name="scopes" value="admin" checked={may('admin')} /> administer
          </label>
        </fieldset>
      </div>
      <button type="submit" name="do" value="create">
        Make a key
      </button>
    </form>
  )
}
