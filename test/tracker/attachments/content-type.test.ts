import { describe, expect, test } from 'vitest'
import {
  isSafeInline,
  parseContentType,
  toDownloadType,
} from '../../../src/tracker/attachments/content-type.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

describe('a content type', () => {
  test.each([
    ['text/plain', 'text/plain'],
    [' text/plain ', 'text/plain'],
    ['Text/HTML', 'Text/HTML'],
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['text/plain;charset=ISO-8859-1', 'text/plain;charset=ISO-8859-1'],
    ['font/woff2', 'font/woff2'],
    ['application/vnd.x+json', 'application/vnd.x+json'],
    ['text/x-github-pull-request', 'text/x-github-pull-request'],
  ])('%j is kept as %j', (given, stored) => {
    expect(parseContentType(given)).toBe(stored)
  })

  test.each([
    undefined,
    '',
    '  ',
    'text',
    'text/',
    '/plain',
    'foo/bar',
    'chemical/x-pdb',
    'text/pl ain',
    'text/plain; charset=',
    'text/plain; charset=a; charset=b',
    'text/plain; boundary=x',
    'text/html\r\nX-Evil: 1',
    'text/<script>',
    `text/${'x'.repeat(300)}`,
  ])('%j is refused, and the parameter is named', (given) => {
    expect(catchFaultCode(() => parseContentType(given))).toBe(601)
    expect(() => parseContentType(given)).toThrow("The parameter 'content_type' must be a MIME")
  })
})

describe('in a browser', () => {
  test.each([
    'image/png',
    'IMAGE/PNG',
    'image/jpeg',
    'text/plain; charset=utf-8',
    'text/csv',
    'audio/ogg',
    'video/mp4',
  ])('%s may be shown', (type) => {
    expect(isSafeInline(type)).toBe(true)
  })

  test.each([
    'image/svg+xml',
    'text/html',
    'application/pdf',
    'text/xml',
    'application/xml',
    'application/xhtml+xml',
    'text/javascript',
    'multipart/related',
    'message/rfc822',
    'application/octet-stream',
    'image/pngx',
    'xaudio/ogg',
  ])('%s is for saving', (type) => {
    expect(isSafeInline(type)).toBe(false)
  })
})

describe('no page can make its script of', () => {
  test.each([
    'text/javascript',
    'Text/JavaScript; charset=utf-8',
    'application/x-javascript',
    'application/ecmascript',
    'text/javascript1.5',
    'text/jscript',
    'text/livescript',
  ])('%s', (type) => {
    expect(toDownloadType(type)).toBe('application/octet-stream')
  })

  test.each(['text/html', 'application/json', 'text/plain; charset=utf-8'])(
    '%s, which stays',
    (type) => {
      expect(toDownloadType(type)).toBe(type)
    },
  )
})
