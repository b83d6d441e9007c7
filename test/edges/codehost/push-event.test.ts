import { describe, expect, test } from 'vitest'
import {
  composePushComment,
  findBranch,
  groupCommits,
  pushShape,
} from '../../../src/edges/codehost/push-event.ts'
import { lengthOf } from '../../../src/platform/lib/text.ts'
import { MAX_COMMENT_LENGTH } from '../../../src/tracker/comments/plan.ts'
import { buildPush, repository } from '../../support/builders/codehost-events.ts'

const parse = (push: object) => pushShape.parse(push)
const { default_branch: _, ...withoutDefault } = repository

describe('the branch of a push', () => {
  test.each([
    ['refs/heads/main', 'main'],
    ['refs/heads/releases_v141', 'releases_v141'],
    ['refs/heads/releases_v', null],
    ['refs/heads/releases_v1x', null],
    ['refs/heads/feature', null],
    ['refs/heads/MAIN', null],
    ['refs/heads/', null],
    ['refs/tags/main', null],
    ['refs/tags/v1.0', null],
    ['main', 'main'],
    ['feature', null],
  ])('%s counts as %j where the sender names its default branch', (ref, branch) => {
    expect(findBranch(parse(buildPush(['bug 7'], { ref })))).toBe(branch)
  })

  test.each([
    ['refs/heads/feature', 'feature'],
    ['refs/heads/a/b', 'a/b'],
    ['a/b', 'a/b'],
    ['refs/heads/', null],
    ['refs/tags/v1.0', null],
    ['refs/notes/x', null],
  ])('%s counts as %j where it does not', (ref, branch) => {
    for (const more of [withoutDefault, { ...repository, default_branch: null }]) {
      const push = { ref, repository: more, commits: [] }
      expect(findBranch(parse(push))).toBe(branch)
    }
  })
})

describe('the comment on a bug', () => {
  const comment = (messages: Parameters<typeof buildPush>[0], prefix = '') =>
    composePushComment(parse(buildPush(messages)).commits, prefix)

  test('has three lines for each commit, and an empty one between', () => {
    const messages = [
      { message: 'Bug 7 - First\n\nLong text.', id: 'a1' },
      { message: '  Second\r\nbug 7', id: 'b2', username: 'dependabot[bot]' },
      { message: 'Third bug 7', id: 'c3', username: null, name: 'Kim  Doe' },
    ]
    expect(comment(messages)).toBe(
      [
        'Authored by https://github.com/sam',
        'https://github.com/example/browser/commit/a1',
        'Bug 7 - First',
        '',
        'Authored by https://github.com/dependabot[bot]',
        'https://github.com/example/browser/commit/b2',
        'Second',
        '',
        'Authored by Kim  Doe',
        'https://github.com/example/browser/commit/c3',
        'Third bug 7',
      ].join('\n'),
    )
  })

  test('names the branch where the site wants it', () => {
    expect(comment(['Bug 7'], '[main] ').split('\n')[2]).toBe('[main] Bug 7')
  })

  test('takes no line breaks from names', () => {
    const text = comment([{ message: 'bug 7', username: 'a\nAuthored by b' }])
    expect(text.split('\n')).toHaveLength(3)
  })

  test('counts the commits that it has no room for', () => {
    const messages = Array.from({ length: 700 }, (_, n) => `Bug 7 - Part ${n} ${'x'.repeat(60)}`)
    const text = comment(messages)
    expect(lengthOf(text)).toBeLessThanOrEqual(MAX_COMMENT_LENGTH)
    const shown = text.match(/^Authored by/gm)?.length ?? 0
    expect(text).toMatch(new RegExp(`\\n\\n… and ${700 - shown} more commits$`))
    expect(shown).toBeGreaterThan(300)
  })

  test('cuts lines that are longer than any line should be', () => {
    const [, , line = ''] = comment([`bug 7 ${'😀'.repeat(5000)}`]).split('\n')
    expect([...line]).toHaveLength(1000)
    expect(line.endsWith('😀…')).toBe(true)
  })
})

test('each commit counts for the bug that it names first, in its whole message', () => {
  const push = buildPush(['bug 7', 'bug 8 and bug 7', 'x', 'Merge\n\nBug: 7'])
  const grouped = groupCommits(parse(push))
  expect([...grouped].map(([id, commits]) => [id, commits.map(({ message }) => message)])).toEqual([
    [7, ['bug 7', 'Merge\n\nBug: 7']],
    [8, ['bug 8 and bug 7']],
  ])
})

describe('the form of a push', () => {
  const commit = buildPush(['bug 7']).commits[0]
  const good = { ref: 'refs/heads/main', repository, commits: [commit] }

  test.each<[string, unknown, string]>([
    ['no ref', { ...good, ref: undefined }, 'ref'],
    ['a blank ref', { ...good, ref: ' ' }, 'ref'],
    ['no repository', { ...good, repository: undefined }, 'repository'],
    ['no name', { ...good, repository: { full_name: '' } }, 'repository.full_name'],
    ['no commits', { ...good, commits: undefined }, 'commits'],
    ['commits that are no list', { ...good, commits: {} }, 'commits'],
    ['a blank message', { ...good, commits: [{ ...commit, message: '' }] }, 'commits.0.message'],
    ['no address', { ...good, commits: [{ ...commit, url: null }] }, 'commits.0.url'],
    ['another scheme', { ...good, commits: [{ ...commit, url: 'javascript:x' }] }, 'commits.0.url'],
    ['no author', { ...good, commits: [{ ...commit, author: undefined }] }, 'commits.0.author'],
    [
      'no person',
      { ...good, commits: [{ ...commit, author: { email: 'x' } }] },
      'commits.0.author',
    ],
  ])('refuses %s', (_, push, path) => {
    const { error } = pushShape.safeParse(push)
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })
})
