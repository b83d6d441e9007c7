import { describe, expect, test } from 'vitest'
import {
  describeFailure,
  isPermanentFailure,
  openSmtpConnection,
} from '../../../../src/platform/mail/smtp/connection.ts'

const failure = (facts: object) => Object.assign(new Error('550 no such user a@b.test'), facts)

describe('a failure of a mail server', () => {
  test.each([
    ['of a recipient with 550', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }],
    ['of a text with 554', { code: 'EMESSAGE', command: 'DATA', responseCode: 554 }],
    ['of an address that cannot be sent', { code: 'EENVELOPE', command: 'API' }],
    ['of a message larger than the server takes', { code: 'EMESSAGE', command: 'MAIL FROM' }],
  ])('%s is permanent', (_, facts) => {
    expect(isPermanentFailure(failure(facts))).toBe(true)
  })

  test.each([
    ['of a recipient with 450', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450 }],
    ['of a text with 451', { code: 'EMESSAGE', command: 'DATA', responseCode: 451 }],
    ['of the sender with 550', { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550 }],
    ['of a login with 535', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }],
    ['of TLS', { code: 'ETLS', command: 'STARTTLS' }],
    ['of the connection', { code: 'ECONNECTION', command: 'CONN' }],
    ['of the connection with 421', { code: 'ECONNECTION', command: 'CONN', responseCode: 421 }],
    ['of an answer without a number', { code: 'EMESSAGE', command: 'DATA' }],
    ['of time', { code: 'ETIMEDOUT' }],
    ['of any other kind', {}],
  ])('%s is temporary', (_, facts) => {
    expect(isPermanentFailure(failure(facts))).toBe(false)
  })

  test('is described without its message, which quotes addresses', () => {
    const facts = { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }
    const more = { response: '550 a@b.test', recipient: 'a@b.test' }
    expect(describeFailure(failure({ ...facts, ...more }))).toEqual(facts)
    expect(describeFailure(new Error('a@b.test'))).toEqual({})
  })
})

test('a connection to a closed port fails', async () => {
  const server = { host: '127.0.0.1', port: 1, isImplicitTls: false, credentials: null }
  await expect(openSmtpConnection(server, 'tracker.test')).rejects.toMatchObject({
    code: expect.stringMatching(/^E/),
  })
})
