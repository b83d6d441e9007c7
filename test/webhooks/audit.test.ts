import { expect, test } from 'vitest'
import { describeForAudit, describeWebhook } from '../../src/webhooks/audit.ts'

const state = {
  name: 'to chat',
  url: 'https://chat.example.com/services/secret',
  events: 'create',
  product: null,
  component: null,
  isEnabled: true,
  hasHeader: true,
}

test('the audit log holds the address without the path, in which receivers hide secrets', () => {
  expect(describeForAudit(state)).toEqual({
    name: 'to chat',
    url: 'https://chat.example.com',
    event: 'create',
    product: 'Any',
    component: 'Any',
    enabled: true,
    header: true,
  })
  expect(describeWebhook(state).url).toBe(state.url)
})
