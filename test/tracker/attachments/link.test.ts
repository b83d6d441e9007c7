import { describe, expect, test } from 'vitest'
import { findLink, isCodeHostLink, isLinkType } from '../../../src/tracker/attachments/link.ts'

const SETTINGS = {
  LINK_CONTENT_TYPE: 'text/x-github-pull-request',
  LINK_HOSTS: 'github.com, Git.Example.test:8443',
}
const URL_OF_REQUEST = 'https://github.com/owner/repo.x/pull/17'

function link(text: string, type: string): string | null {
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0))
  return findLink({ size: bytes.length, blocks: [bytes] }, type, SETTINGS)
}

describe('people may be sent to', () => {
  test.each([
    URL_OF_REQUEST,
    'https://github.com/owner/repo/pulls/1/',
    'https://git.example.test:8443/a/b/c/-/merge_requests/3',
    'HTTPS://GitHub.com/owner/repo/pull/1',
  ])('%s', (address) => {
    expect(isCodeHostLink(address, SETTINGS)).toBe(true)
  })

  test.each([
    'http://github.com/owner/repo/pull/1',
    'https://github.com.evil.test/owner/repo/pull/1',
    'https://evil.test/github.com/owner/repo/pull/1',
    'https://user@github.com/owner/repo/pull/1',
    'https://github.com@evil.test/owner/repo/pull/1',
    'https://git.example.test/a/b/pull/1',
    'https://github.com/owner/repo/pull/1?x=1',
    'https://github.com/owner/repo/pull/1#x',
    'https://github.com/owner/repo/issues/1',
    'https://github.com/login/../owner/pull/x',
    'https://github.com/pull/1',
    'https://github.com/owner/repo/pull/1\nhttps://evil.test',
    'javascript:alert(1)//github.com/a/b/pull/1',
    '',
  ])('not to %j', (address) => {
    expect(isCodeHostLink(address, SETTINGS)).toBe(false)
  })
})

describe('an attachment is a link', () => {
  test.each([
    [` ${URL_OF_REQUEST}\n`, 'text/plain'],
    [URL_OF_REQUEST, 'text/plain; charset=utf-8'],
    [URL_OF_REQUEST, 'text/x-github-pull-request'],
    [URL_OF_REQUEST + ' '.repeat(300), 'text/x-github-pull-request'],
  ])('%#', (text, type) => {
    expect(link(text, type)).toBe(URL_OF_REQUEST)
  })

  test.each([
    [URL_OF_REQUEST + ' '.repeat(300), 'text/plain'],
    [`See ${URL_OF_REQUEST}`, 'text/plain'],
    [URL_OF_REQUEST, 'text/html'],
    ['https://evil.test/a/b/pull/1', 'text/x-github-pull-request'],
    [URL_OF_REQUEST + ' '.repeat(3000), 'text/x-github-pull-request'],
  ])('not %#', (text, type) => {
    expect(link(text, type)).toBeNull()
  })

  test('by its type in any case', () => {
    expect(isLinkType('Text/X-GitHub-Pull-Request', SETTINGS)).toBe(true)
    expect(isLinkType('text/plain', SETTINGS)).toBe(false)
  })
})
