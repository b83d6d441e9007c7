import { describe, expect, test } from 'vitest'
import { readExamples, readHeadings, readOperations, readSection } from './page.ts'

const fenced = (...blocks: [info: string, text: string][]) =>
  blocks.map(([info, text]) => `\`\`\`${info}\n${text}\n\`\`\``).join('\n\n')

describe('readExamples', () => {
  test('reads method, path, headers, body, status and answer', () => {
    const markdown = fenced(
      ['http', 'POST /rest/bug?a=1\nX-Key: $KEY\n\n{ "a": 1 }'],
      ['json 201', '{ "id": "$ID" }'],
      ['http', 'GET /rest/version'],
      ['text', 'x'],
    )
    expect(readExamples(markdown)).toMatchObject([
      {
        method: 'POST',
        path: '/rest/bug?a=1',
        headers: { 'X-Key': '$KEY' },
        body: { a: 1 },
        answer: { kind: 'json', status: 201, text: '{ "id": "$ID" }' },
      },
      { method: 'GET', path: '/rest/version', body: undefined, answer: { status: 200 } },
    ])
  })

  test.each([
    ['an answer without a request', fenced(['json', '{}'])],
    ['a request without an answer', fenced(['http', 'GET /rest/version'])],
    ['two requests in a row', fenced(['http', 'GET /a'], ['http', 'GET /a'])],
    ['a block of another language', fenced(['sh', 'curl'], ['json', '{}'])],
    ['a request line that is none', fenced(['http', 'GET it'], ['json', '{}'])],
    ['a body that is no JSON', fenced(['http', 'PUT /a\n\n{'], ['json', '{}'])],
    ['an answer that is no JSON', fenced(['http', 'GET /a'], ['json', '{'])],
    ['a block without an end', '```http\nGET /a'],
  ])('throws for %s', (_, markdown) => {
    expect(() => readExamples(markdown)).toThrow(/^line \d+/)
  })
})

describe('readHeadings and readOperations', () => {
  test('leave out what stands in blocks', () => {
    const markdown = `# A\n\n${fenced(['http', '# B\n`GET /rest/x`'])}\n## C d\n\n\`GET /rest/y/:id\``
    expect(readHeadings(markdown).map(({ title }) => title)).toEqual(['A', 'C d'])
    expect(readOperations(markdown)).toEqual(['GET /rest/y/:id'])
  })
})

describe('readSection', () => {
  const markdown = '# A\n\n## B c\n\none\n\n### D\n\ntwo\n\n## E\n\nthree'

  test.each([
    ['b-c', ['one', 'two']],
    ['d', ['two']],
    ['e', ['three']],
    ['a', ['one', 'two', 'three']],
    ['nowhere', []],
  ])('finds what stands below #%s', (anchor, texts) => {
    expect(readSection(markdown, anchor).match(/one|two|three/g) ?? []).toEqual(texts)
  })
})
