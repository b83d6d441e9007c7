import { expect, test } from 'vitest'
import type { MailBlock } from '../../../src/tracker/bug-mail/document.ts'
import { renderMailText } from '../../../src/tracker/bug-mail/render-text.ts'

const comment = {
  kind: 'comment',
  title: null,
  url: null,
  attachment: null,
  body: '',
  html: null,
  note: '',
} as const

test.each<[string, MailBlock, string]>([
  ['a link', { kind: 'link', url: 'https://x.test' }, 'https://x.test'],
  [
    'fields, labels in 19 columns',
    {
      kind: 'fields',
      fields: [
        ['Status', 'NEW'],
        ['Target Milestone', '---'],
      ],
    },
    '             Status: NEW\n   Target Milestone: ---',
  ],
  [
    'a table of 19, 28 and 28 columns',
    {
      kind: 'table',
      title: 'Ann changed:',
      head: ['What', 'Removed', 'Added'],
      rows: [['Whiteboard', 'a'.repeat(30), 'two words']],
    },
    [
      'Ann changed:',
      '',
      `           What    |Removed${' '.repeat(21)}|Added`,
      '-'.repeat(77),
      `         Whiteboard|${'a'.repeat(28)}|two words`,
      `${' '.repeat(19)}|aa${' '.repeat(26)}|`,
    ].join('\n'),
  ],
  [
    'a comment with all of its parts',
    {
      ...comment,
      title: 'Comment #1 from Ann',
      url: 'https://x.test/1#c1',
      attachment: { title: 'Created attachment 7', url: 'https://x.test/7', summary: 'log' },
      body: 'See there.',
      note: '*** note ***',
    },
    '--- Comment #1 from Ann ---\nhttps://x.test/1#c1\nCreated attachment 7\n  --> https://x.test/7\nlog\n\nSee there.\n\n*** note ***',
  ],
  ['a description', { ...comment, body: 'It breaks.' }, 'It breaks.'],
  [
    'bugs without links',
    {
      kind: 'bugs',
      title: 'Bugs:',
      bugs: [
        { url: null, text: 'one' },
        { url: 'u', text: 'two' },
      ],
    },
    'Bugs:\n\none\nu\ntwo',
  ],
  [
    'a footer below the mark of signatures',
    { kind: 'footer', lines: ['a', 'b'], links: [{ label: 'Stop', url: 'u' }] },
    '-- \na\nb\nStop: u\nReplies to this mail are not read.',
  ],
])('renders %s', (_, block, text) => {
  expect(renderMailText([block])).toBe(`${text}\n`)
})

test('parts the blocks of a mail by an empty line', () => {
  expect(
    renderMailText([
      { kind: 'link', url: 'a' },
      { kind: 'sentence', text: 'b' },
    ]),
  ).toBe('a\n\nb\n')
})
