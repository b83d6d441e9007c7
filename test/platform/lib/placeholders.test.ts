import { expect, test } from 'vitest'
import { Placeholders } from '../../../src/platform/lib/placeholders.ts'

test('placeholders are found where they were written, and no text is taken for one', () => {
  const [own, other] = [new Placeholders(), new Placeholders()]
  const json = JSON.stringify({
    first: own.write('0'),
    text: `"${own.write('1')}" and "00000000-0000-0000-0000-000000000000:2"`,
    other: other.write('3'),
    second: own.write('4:added'),
  })
  const pieces = [...own.split(json)]
  expect(pieces.map(({ name }) => name)).toEqual(['0', '4:added', null])
  const filled = pieces.map(({ text, name }) => text + (name === null ? '' : 'null')).join('')
  expect(JSON.parse(filled)).toEqual({ ...JSON.parse(json), first: null, second: null })
})
