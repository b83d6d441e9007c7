import { expect, test } from 'vitest'
import { DocumentationMarkdown } from '../../../../src/edges/pages/docs/markdown.ts'
import type { DescribedOperation } from '../../../../src/edges/pages/docs/operations.ts'
import { renderPanel } from '../../../../src/edges/pages/docs/panel.ts'

const FILE: DescribedOperation = {
  method: 'POST',
  path: '/rest/thing/{id}',
  summary: 'Make <things>',
  place: 'bugs#things',
  credentials: 'needed',
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'integer' },
      description: 'An `ID`.',
    },
  ],
  body: {
    schema: {
      properties: { name: { type: 'string', description: 'A <b>' }, rank: { type: 'integer' } },
      required: ['name'],
    },
    example: { name: "it's" },
  },
  answer: { status: '201', schema: { type: 'object', properties: {} }, example: { id: 1 } },
  faults: [{ code: 51, status: '404', message: 'There is no <thing>.' }],
}

function render(operation: DescribedOperation): string {
  return String(renderPanel(operation, new DocumentationMarkdown()))
}

test('a panel says what an operation takes, answers and refuses', () => {
  const panel = render(FILE)
  for (const text of [
    '<code class="method">POST</code> <code>/rest/thing/{id}</code> <span>Make &lt;things&gt;</span>',
    'Needs credentials.',
    '<td>path, required</td>',
    'An <code>ID</code>.',
    '<code>name</code>, required',
    'A &lt;b&gt;',
    '<h4>Answer 201</h4>',
    '<a href="/docs/errors#error-51">51</a> (404) There is no &lt;thing&gt;.',
  ]) {
    expect(panel).toContain(text)
  }
})

test('a panel has a command for a shell', () => {
  expect(render(FILE)).toContain(
    [
      'curl -X POST &#39;https://tracker.example/rest/thing/{id}&#39;',
      '-H &#39;X-Tracker-API-Key: KEY&#39;',
      '-H &#39;Idempotency-Key: UNIQUE&#39;',
      '-d &#39;{&quot;name&quot;:&quot;it&#39;\\&#39;&#39;s&quot;}&#39;',
    ].join(' \\\n  '),
  )
  const read: DescribedOperation = { ...FILE, method: 'GET', credentials: 'ignored', body: null }
  expect(render(read)).toContain(
    '<code>curl &#39;https://tracker.example/rest/thing/{id}&#39;</code>',
  )
})
