import { describe, expect, test } from 'vitest'
import {
  composeLinkTexts,
  pullRequestShape,
} from '../../../src/edges/codehost/pull-request-event.ts'
import { buildPullRequest } from '../../support/builders/codehost-events.ts'

const textsOf = (title: string, more: Parameters<typeof buildPullRequest>[1] = {}) =>
  composeLinkTexts(pullRequestShape.parse(buildPullRequest(title, { number: 12, ...more })))

describe('the texts of a link', () => {
  test('name the repository, the title and the number', () => {
    expect(textsOf('Bug 7: Fix it')).toEqual({
      summary: '[example/browser] Bug 7: Fix it (#12)',
      fileName: 'codehost-example_browser-12-url.txt',
    })
  })

  test.each([[{ repository: undefined }], [{ repository: null }], [{ repository: {} }]])(
    'take the repository from the address when the event has %j',
    (more) => {
      expect(textsOf('Bug 7', more).summary).toBe('[example/browser] Bug 7 (#12)')
    },
  )

  test('fit into a summary and a file name', () => {
    const { summary, fileName } = textsOf(`Bug 7 ${'😀'.repeat(300)}`, {
      repository: { full_name: `${'o'.repeat(100)}/name` },
    })
    expect([...summary]).toHaveLength(255)
    expect(summary).toMatch(/😀… \(#12\)$/)
    expect(fileName).toHaveLength(100)
    expect(fileName).toMatch(/o_name-12-url\.txt$/)
  })
})

describe('the form of a pull request', () => {
  const good = buildPullRequest('Bug 7')
  const { pull_request: request } = good

  test.each<[string, unknown, string]>([
    ['no pull request', { ...good, pull_request: undefined }, 'pull_request'],
    ['no title', { ...good, pull_request: { ...request, title: undefined } }, 'pull_request.title'],
    ['a blank title', { ...good, pull_request: { ...request, title: ' ' } }, 'pull_request.title'],
    [
      'a title of no text',
      { ...good, pull_request: { ...request, title: 7 } },
      'pull_request.title',
    ],
    ['no number', { ...good, pull_request: { ...request, number: '7' } }, 'pull_request.number'],
    [
      'no address',
      { ...good, pull_request: { ...request, html_url: '' } },
      'pull_request.html_url',
    ],
    [
      'another scheme',
      { ...good, pull_request: { ...request, html_url: 'data:text/html,x' } },
      'pull_request.html_url',
    ],
  ])('refuses %s', (_, event, path) => {
    const { error } = pullRequestShape.safeParse(event)
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })
})
