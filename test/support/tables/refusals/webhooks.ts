import type { StructureSenders } from '../../worlds/structure-world.ts'
import { type Refusal, refused } from './refusal.ts'

type Refusals = readonly Refusal<keyof StructureSenders>[]

const hook = { name: 'New', url: 'https://hooks.example.com/', event: 'create' }

/** Invalid values, of a new webhook or a changed one. */
const WRONG_VALUES = [
  { code: 50, body: { name: ' \t' }, naming: 'name' },
  { code: 53, body: { name: 'x'.repeat(65) }, naming: 'name' },
  { code: 32_000, body: { name: 'oTHER' }, naming: 'oTHER' },
  { code: 50, body: { url: ' ' }, naming: 'url' },
  { code: 53, body: { url: `https://hooks.example.com/${'x'.repeat(230)}` }, naming: 'url' },
  { code: 53, body: { url: 'http://hooks.example.com/' }, naming: 'url' },
  { code: 53, body: { url: 'https://localhost/' }, naming: 'url' },
  { code: 53, body: { url: 'https://169.254.169.254/' }, naming: 'url' },
  { code: 53, body: { url: 'nonsense' }, naming: 'url' },
  { code: 50, body: { event: [] }, naming: 'event' },
  { code: 53, body: { event: 'create,nonsense' }, naming: 'nonsense' },
  { code: 53, body: { event: [{ not: 'this' }] }, naming: 'event' },
  { code: 106, body: { product: 'NoSuch' }, naming: 'NoSuch' },
  { code: 106, body: { product: '{secret}' } },
  { code: 51, body: { product: '{product}', component: 'NoSuch' }, naming: 'NoSuch' },
  { code: 50, body: { component: 'NoSuch' }, naming: 'product' },
  { code: 53, body: { header: 'Authorization: x' }, naming: 'header' },
  { code: 53, body: { header: { name: 'Host', value: 'x' } }, naming: 'header.name' },
  { code: 53, body: { header: { name: 'X-Key', value: 'x\ny' } }, naming: 'header.value' },
  { code: 53, body: { header: { name: 'X-Key', value: 'x'.repeat(65) } }, naming: '64' },
]

/** What every operation on one webhook refuses. */
function refusalsOf(method: string, path = ''): Refusals {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
  return [
    { code: 410, by: 'anyone', request: `${method} /webhooks/{webhook}${path}`, ...body },
    { code: 51, by: 'outsider', request: `${method} /webhooks/999999999${path}`, ...body },
    { code: 51, by: 'outsider', request: `${method} /webhooks/{hiddenWebhook}${path}`, ...body },
    { code: 51, by: 'editor', request: `${method} /webhooks/{webhook}${path}`, ...body },
    { code: 52, by: 'outsider', request: `${method} /webhooks/Mine${path}`, ...body },
  ]
}

/** What operations on webhooks refuse. */
export const WEBHOOK_REFUSALS: Record<string, Refusals> = {
  'Create a webhook': [
    refused(410, 'anyone', 'POST /webhooks', hook),
    ...[
      { code: 50, body: { url: hook.url, event: 'create' }, naming: 'name' },
      { code: 50, body: { name: 'New', event: 'create' }, naming: 'url' },
      { code: 50, body: { name: 'New', url: hook.url }, naming: 'event' },
      ...WRONG_VALUES.map(({ body, ...refusal }) => ({ ...refusal, body: { ...hook, ...body } })),
    ].map((refusal) => ({ ...refusal, by: 'outsider' as const, request: 'POST /webhooks' })),
  ],
  'Change a webhook': [
    ...refusalsOf('PUT'),
    ...WRONG_VALUES.map((refusal) => ({
      ...refusal,
      ...{ by: 'outsider' as const, request: 'PUT /webhooks/{webhook}' },
    })),
  ],
  'Get a webhook': refusalsOf('GET'),
  'Remove a webhook': refusalsOf('DELETE'),
  'Test a webhook': refusalsOf('POST', '/test'),
  'List deliveries': [
    ...refusalsOf('GET', '/deliveries'),
    refused(50, 'outsider', 'GET /webhooks/{webhook}/deliveries?offset=1'),
    refused(52, 'outsider', 'GET /webhooks/{webhook}/deliveries?limit=-1'),
  ],
  'Send a delivery again': [
    refused(410, 'anyone', 'POST /webhooks/deliveries/{oldDelivery}/redeliver'),
    refused(51, 'outsider', 'POST /webhooks/deliveries/999999999/redeliver'),
    refused(51, 'outsider', 'POST /webhooks/deliveries/{hiddenDelivery}/redeliver'),
    refused(52, 'outsider', 'POST /webhooks/deliveries/x/redeliver'),
    refused(32_000, 'outsider', 'POST /webhooks/deliveries/{oldDelivery}/redeliver'),
    {
      code: 32_000,
      by: 'outsider',
      request: 'POST /webhooks/deliveries/{offDelivery}/redeliver',
      naming: 'Off',
    },
  ],
  'List webhooks': [refused(410, 'anyone', 'GET /webhooks/list')],
}
