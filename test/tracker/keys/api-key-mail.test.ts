import { describe, expect, test } from 'vitest'
import { composeApiKeyMail } from '../../../src/tracker/keys/api-key-mail.ts'

const content = {
  id: 4,
  keyId: 17,
  description: 'Nightly\nreport',
  prefix: 'lw1234',
  expiresAt: 1_800_000_000,
  now: 1_799_400_000,
  login: 'ann@example.test',
  site: { baseUrl: 'https://tracker.test', host: 'tracker.test' },
}

describe('the mail about an API key', () => {
  test('says when the key expires, and how to replace it', () => {
    expect(composeApiKeyMail(content)).toEqual({
      to: 'ann@example.test',
      subject: 'API key expires: Nightly report',
      text: expect.stringMatching(
        /^Your API key 17 \(lw1234…\), Nightly report, expires at[ \n]2027-01-15T08:00:00Z\./,
      ),
      messageId: '<api-key-17-1800000000-4@tracker.test>',
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
    const { text } = composeApiKeyMail(content)
    expect(text).toContain('/rest/api_key/17/rotate')
    expect(text).toContain('https://tracker.test/account?tab=apikey\n')
  })

  test('says that the key has expired when it is late', () => {
    const { subject, text } = composeApiKeyMail({ ...content, now: content.expiresAt })
    expect(subject).toBe('API key has expired: Nightly report')
    expect(text).toContain('POST /rest/api_key.')
    expect(text).not.toContain('rotate')
  })

  test('names a key without description by its prefix, and leaves links out without an address', () => {
    const site = { baseUrl: '', host: 'localhost' }
    const { subject, text } = composeApiKeyMail({ ...content, description: ' ', site })
    expect(subject).toBe('API key expires: lw1234…')
    expect(text).not.toContain('http')
  })
})
