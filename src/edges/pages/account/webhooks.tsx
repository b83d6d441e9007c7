import { createWebhook } from '../../webhooks/create.ts'
import { listDeliveries } from '../../webhooks/deliveries.ts'
import { WEBHOOK_EVENTS } from '../../webhooks/events.ts'
import { listWebhooks } from '../../webhooks/list.ts'
import { pingWebhook } from '../../webhooks/ping.ts'
import { redeliver } from '../../webhooks/redeliver.ts'
import { removeWebhook } from '../../webhooks/remove.ts'
import { updateWebhook } from '../../webhooks/update.ts'
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

/** Deliveries that the tab shows of each webhook. */
const MAX_SHOWN = 10

/** The addresses that hear of changes, and what was sent to them. */
export const webhooksTab: Tab = {
  show: showWebhooks,
  send: {
    create: revealing(showWebhooks, async (request) => {
      const { secret } = await askOnce(request, createWebhook, readForm(request))
      return secret
    }),
    rotate: revealing(showWebhooks, async (request) => {
      const parameters = { id: fieldText(request, 'id'), rotate_secret: true }
      const { webhooks } = await ask(request, updateWebhook, parameters)
      return webhooks[0]?.secret
    }),
    ...sendingTab('webhooks', showWebhooks, {
      save: (request) =>
        ask(request, updateWebhook, { id: fieldText(request, 'id'), ...readForm(request) }),
      enable: (request) => {
        const enabled = fieldText(request, 'enabled') === '1'
        return ask(request, updateWebhook, { id: fieldText(request, 'id'), enabled })
      },
      ping: (request) => ask(request, pingWebhook, { id: fieldText(request, 'id') }),
      redeliver: (request) => ask(request, redeliver, { id: fieldText(request, 'delivery') }),
      remove: (request) => ask(request, removeWebhook, { id: fieldText(request, 'id') }),
    }),
  },
}

function readForm(request: PageRequest) {
  const header = {
    name: fieldText(request, 'header_name'),
    value: fieldText(request, 'header_value'),
  }
  const read = {
    name: fieldText(request, 'name'),
    url: fieldText(request, 'url'),
    event: request.form.getAll('event').map(String),
    product: fieldText(request, 'product').trim(),
    component: fieldText(request, 'component').trim(),
    ...(header.name !== '' && { header }),
  }
  assertWhollyRead(request)
  return read
}

type Webhook = Answer<typeof listWebhooks>['webhooks'][number]
type Delivery = Answer<typeof listDeliveries>['deliveries'][number]

async function showWebhooks(request: PageRequest, refusal?: string, secret?: string) {
  const { webhooks } = await ask(request, listWebhooks, {})
  const opened = webhooks.find(({ id }) => String(id) === request.url.searchParams.get('webhook'))
  const sent = opened && (await ask(request, listDeliveries, { id: opened.id, limit: MAX_SHOWN }))
  return (
    <TabFrame request={request} tab="webhooks">
      <p>
        The tracker calls these addresses when bugs change, with{' '}
        <a href="/docs/webhooks">signed messages</a> that hold what you may see.
      </p>
      {secret !== undefined && (
        <section class="notice">
          <p>The secret that signs the messages is shown this once:</p>
          <input readonly value={secret} aria-label="The secret of the webhook" data-copy />
        </section>
      )}
      <Refusal message={refusal} />
      {webhooks.map((webhook) => (
        <WebhookItem
          request={request}
          webhook={webhook}
          deliveries={webhook === opened ? (sent?.deliveries ?? []) : null}
        />
      ))}
      <h2>New webhook</h2>
      <WebhookForm request={request} webhook={null} />
    </TabFrame>
  )
}

type ItemProps = {
  request: PageRequest
  webhook: Webhook
  /** What was sent last; null unless the reader asked for it. */
  deliveries: readonly Delivery[] | null
}

function WebhookItem({ request, webhook, deliveries }: ItemProps) {
  const { id, name, enabled, errors = 0 } = webhook
  return (
    <section id={`w${id}`}>
      <h2>
        {name} <span class={enabled ? 'status' : 'status done'}>{enabled ? 'on' : 'off'}</span>
      </h2>
      <p>
        <code>{webhook.url}</code>
        <br />
        {webhook.event?.replaceAll(',', ', ')} in {webhook.product} › {webhook.component}
        {errors > 0 && ` · ${errors} failed attempts`}
      </p>
      <Form request={request} action="/account/webhooks" class="row">
        <input type="hidden" name="id" value={String(id)} />
        <input type="hidden" name="enabled" value={enabled ? '0' : '1'} />
        <a href={`/account?tab=webhooks&webhook=${id}#w${id}`}>Deliveries</a>
        {ACTIONS.map(([action, title]) => (
          <Action class="quiet" act={action}>
            {title}
          </Action>
        ))}
        <Action class="quiet" act="enable">
          {enabled ? 'Switch off' : 'Switch on'}
        </Action>
      </Form>
      <details>
        <summary>Change</summary>
        <WebhookForm request={request} webhook={webhook} />
      </details>
      {deliveries !== null && (
        <DeliveryTable request={request} deliveries={deliveries} isEnabled={enabled} />
      )}
    </section>
  )
}

const ACTIONS = [
  ['ping', 'Send a test'],
  ['rotate', 'New secret'],
  ['remove', 'Remove'],
] as const

type DeliveryTableProps = {
  request: PageRequest
  deliveries: readonly Delivery[]
  isEnabled: boolean | undefined
}

function DeliveryTable({ request, deliveries, isEnabled }: DeliveryTableProps) {
  const waiting = isEnabled ? ', waits for older ones' : ', waits until it is switched on'
  return deliveries.length === 0 ? (
    <p class="muted">Nothing was sent yet.</p>
  ) : (
    <Table heads={['Created', 'Event', 'Bug', 'State', 'Answer', 'Again']}>
      {deliveries.map(({ id, created, event, bug_id, status, attempts, ...answer }) => (
        <tr>
          <td>
            <Moment at={created} />
          </td>
          <td>{event}</td>
          <td>{bug_id != null && <a href={`/bug/${bug_id}`}>{bug_id}</a>}</td>
          <td>
            {status}, attempt {attempts}
            {status === 'queued' && answer.next_attempt === null && waiting}
            {answer.next_attempt && (
              <>
                , next <Moment at={answer.next_attempt} />
              </>
            )}
          </td>
          <td>
            {answer.response_status} {answer.error ?? answer.response_excerpt}
          </td>
          <td>
            <Form request={request} action="/account/webhooks">
              <input type="hidden" name="delivery" value={String(id)} />
              <Action class="quiet" act="redeliver">
                Send again
              </Action>
            </Form>
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** Fields as they were sent, or else as they are. */
function WebhookForm({ request, webhook }: { request: PageRequest; webhook: Webhook | null }) {
  const isSent = fieldText(request, 'id') === String(webhook?.id ?? '') && request.form.has('url')
  const typed = (name: string) => fieldText(request, name)
  const given = {
    name: isSent ? typed('name') : webhook?.name,
    url: isSent ? typed('url') : webhook?.url,
    product: isSent ? typed('product') : placeOf(webhook?.product),
    component: isSent ? typed('component') : placeOf(webhook?.component),
  }
  const events = isSent
    ? request.form.getAll('event')
    : (webhook?.event?.split(',') ??
      WEBHOOK_EVENTS.filter((event) => event !== 'attachment_change'))
  return (
    <Form request={request} isOnce={webhook === null} action="/account/webhooks">
      {webhook !== null && <input type="hidden" name="id" value={String(webhook.id)} />}
      <div class="fields">
        <LineInput label="Name" name="name" required value={given.name} />
        <LineInput
          label="Address"
          type="url"
          name="url"
          required
          value={given.url}
          placeholder="https://"
        />
        <LineInput label="Product" name="product" value={given.product} placeholder="any" />
        <LineInput label="Component" name="component" value={given.component} placeholder="any" />
        <LineInput
          sent={request}
          label="Name of a header of your own"
          name="header_name"
          placeholder="none"
        />
        <LineInput label="Value of that header" name="header_value" autocomplete="off" />
      </div>
      <fieldset>
        <legend>Events</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <Tick
            label={event.replaceAll('_', ' ')}
            name="event"
            value={event}
            checked={events.includes(event)}
          />
        ))}
      </fieldset>
      <Action act={webhook === null ? 'create' : 'save'}>
        {webhook === null ? 'Create' : 'Save'}
      </Action>
    </Form>
  )
}

function placeOf(name: string | undefined): string {
  return name === 'Any' ? '' : (name ?? '')
}
