import { describe, expect, test } from 'vitest'
import { findPushRule } from '../../../src/edges/codehost/push-rules.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'

const settings = readSettings({
  PUSH_STATUS_FLAGS: JSON.stringify({
    'example/browser': {
      'releases_v*': { field: 'cf_status_app*' },
      releases_v99: { milestone: 'Last' },
      main: { field: 'cf_status_app141', milestone: '141 Branch' },
      'esr/*': { field: 'cf_status_esr*', milestone: 'ESR * Branch' },
    },
    'Example/Other': { main: { milestone: 'Next' } },
  }),
})

describe('the rule of a branch', () => {
  test.each([
    ['example/browser', 'main', { field: 'cf_status_app141', milestone: '141 Branch' }],
    ['EXAMPLE/Browser', 'main', { field: 'cf_status_app141', milestone: '141 Branch' }],
    ['example/browser', 'releases_v140', { field: 'cf_status_app140' }],
    ['example/browser', 'releases_v99', { milestone: 'Last' }],
    ['example/browser', 'esr/128', { field: 'cf_status_esr128', milestone: 'ESR 128 Branch' }],
    ['example/other', 'main', { milestone: 'Next' }],
  ])('of %s, %s is that of the settings', (repository, branch, rule) => {
    expect(findPushRule(settings, repository, branch)).toEqual(rule)
  })

  test.each([
    ['example/browser', 'releases_v'],
    ['example/browser', 'releases_vnext'],
    ['example/browser', 'releases_v140x'],
    ['example/browser', 'my/main'],
    ['example/browser', 'Main'],
    ['example/another', 'main'],
  ])('of %s, %s does not exist', (repository, branch) => {
    expect(findPushRule(settings, repository, branch)).toBeNull()
  })

  test('does not exist by default', () => {
    expect(findPushRule(readSettings({}), 'example/browser', 'main')).toBeNull()
  })

  test.each([
    '',
    'nonsense',
    '[]',
    '{"a/b": "main"}',
    '{"a/b": {"main": {"field": "status"}}}',
    '{"a/b": {"main": {"fields": "cf_x"}}}',
  ])('stops the service when the setting is %j', (value) => {
    expect(() => readSettings({ PUSH_STATUS_FLAGS: value })).toThrow(
      'Setting PUSH_STATUS_FLAGS: must be JSON of the form',
    )
  })
})
