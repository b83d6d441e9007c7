import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { baseUrl } from '../../../../src/platform/http/request/base-url.ts'
import { readSettings } from '../../../../src/platform/settings/settings.ts'

test.each([
  ['', 'https://tracker.test/rest/bug?a=/', 'https://tracker.test'],
  ['', 'http://localhost:8787/', 'http://localhost:8787'],
  ['https://bugs.example.com', 'http://10.0.0.1/rest/bug', 'https://bugs.example.com'],
  ['https://example.com/bugs', 'https://example.com/', 'https://example.com/bugs'],
])('with BASE_URL %j the base URL of a request to %s is %s', (setting, url, expected) => {
  expect(baseUrl(readSettings({ ...env, BASE_URL: setting }), url)).toBe(expected)
})
