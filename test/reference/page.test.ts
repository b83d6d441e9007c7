import { describe, expect, test } from 'vitest'
import { fillBody, fillText, Mismatch, matchAnswer } from './answer.ts'
import { readExamples, readHeadings, readOperations } from './page.ts'

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

describe('matchAnswer', () => {
  test('captures a variable once and holds later ones against it', () => {
    const captured = matchAnswer({ id: '$ID', again: '$ID' }, { id: 7, again: 7 }, {})
    expect(captured).toEqual({ ID: 7 })
    expect(matchAnswer('$ID', '7', captured)).toBe(captured)
    expect(() => matchAnswer('$ID', 8, captured)).toThrow(Mismatch)
    expect(matchAnswer({ $ID: ['Bug $ID is …'] }, { 7: ['Bug 7 is new'] }, captured)).toBe(captured)
  })

  test.each([
    ['a further member', { a: 1 }, { a: 1, b: 2 }],
    ['a missing member', { a: 1, '…': '…' }, { b: 2 }],
    ['another type', 1, '1'],
    ['a further item', [1], [1, 2]],
    ['a missing item', ['…', 3], [1, 2]],
    ['another text', 'a … c', 'a b'],
    ['an object for a list', [], {}],
    ['a list for an object', {}, []],
  ])('refuses %s', (_, promised, actual) => {
    expect(() => matchAnswer(promised, actual, {})).toThrow(Mismatch)
  })

  test.each([
    ['any value', '…', { a: [1] }],
    ['further members', { a: '…', '…': '…' }, { a: null, b: 2 }],
    ['further items', ['…', 2, '…'], [0, 1, 2, 3]],
    ['a part of a text', 'a … c', 'a b c'],
  ])('lets … stand for %s', (_, promised, actual) => {
    expect(matchAnswer(promised, actual, {})).toEqual({})
  })
})

describe('fillBody and fillText', () => {
  test('put in what was captured, numbers as numbers', () => {
    const variables = { ID: 7, NAME: 'x' }
    expect(fillBody({ ids: ['$ID'], $NAME: 'is $NAME', n: 1 }, variables)).toEqual({
      ids: [7],
      x: 'is x',
      n: 1,
    })
    expect(fillText('/bug/$ID?name=$NAME', variables)).toBe('/bug/7?name=x')
    expect(() => fillText('$OTHER', variables)).toThrow('nothing has captured $OTHER')
  })
})
