import { expect, test } from 'vitest'
import { parseSmtpUrl } from '../../../src/platform/lib/smtp-url.ts'

test.each([
  ['smtp://user:password@mail.test:587', ['mail.test', 587, false, 'user', 'password']],
  ['smtp://user:password@mail.test', ['mail.test', 587, false, 'user', 'password']],
  ['smtps://user:password@mail.test', ['mail.test', 465, true, 'user', 'password']],
  ['smtps://user:password@mail.test:2465/', ['mail.test', 2465, true, 'user', 'password']],
  ['smtp://a%40b.test:p%3A%2F%C3%A4%25@mail.test', ['mail.test', 587, false, 'a@b.test', 'p:/ä%']],
  ['smtp://127.0.0.1:1025', ['127.0.0.1', 1025, false]],
  ['smtp://[::1]:25', ['::1', 25, false]],
  ['smtps://mail.test', ['mail.test', 465, true]],
])('%s names a mail server', (url, [host, port, isImplicitTls, user, pass]) => {
  const credentials = user === undefined ? null : { user, pass }
  expect(parseSmtpUrl(url)).toEqual({ host, port, isImplicitTls, credentials })
})

test.each([
  'mail.test',
  'mail.test:25',
  'http://mail.test',
  'smtp://',
  'smtp:mail.test',
  'smtp://user@mail.test',
  'smtp://:password@mail.test',
  'smtp://user:%E0%A4%A@mail.test',
  'smtp://mail.test:99999',
  'smtp://mail.test/path',
  'smtp://mail.test?tls=no',
  'smtp://mail.test#x',
])('%s names none', (url) => {
  expect(parseSmtpUrl(url)).toBeNull()
})
