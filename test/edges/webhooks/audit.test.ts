import { describe, expect, test } from 'vitest'
import {
  describeForAudit,
  describeWebhook,
  diffForAudit,
} from '../../../src/edges/webhooks/audit.ts'

const state = {
  name: 'to chat',
  url: 'https://chat.example.com/services/secret',
  events: 'create',
  product: null,
  component: null,
  isProductHidden: false,
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

describe('the audit log names the change of a secret without its value:', () => {
  const NOTHING = { hasNewSecret: false, hasNewHeader: false }
  const changed = { removed: '', added: '1' }

  test.each([
    ['a path', { url: 'https://chat.example.com/services/other' }, NOTHING, { url_path: changed }],
    [
      'an address, whose path is not told apart',
      { url: 'https://talk.example.com/x' },
      NOTHING,
      { url: { removed: 'https://chat.example.com', added: 'https://talk.example.com' } },
    ],
    ['a header', {}, { ...NOTHING, hasNewHeader: true }, { header_value: changed }],
    ['a signing secret', {}, { ...NOTHING, hasNewSecret: true }, { rotate_secret: changed }],
    ['nothing', {}, NOTHING, {}],
  ])('%s', (_, more, given, expected) => {
    expect(diffForAudit(state, { ...state, ...more }, given)).toEqual(expected)
  })

  test('a first header is the header alone', () => {
    const before = { ...state, hasHeader: false }
    expect(diffForAudit(before, state, { ...NOTHING, hasNewHeader: true })).toEqual({
      header: { removed: '0', added: '1' },
    })
  })
})
