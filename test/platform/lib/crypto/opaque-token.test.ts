import { expect, test } from 'vitest'
import {
  makeOpaqueToken,
  readOpaqueToken,
} from '../../../../src/platform/lib/crypto/opaque-token.ts'

const SECRET = 'the secret of these tests'

test.each(['9.35', '', 'Ünïcode 🦋'])(
  'a token of %j is read again, and the same each time',
  (text) => {
    const token = makeOpaqueToken(text, SECRET, 'unsubscription')
    expect(makeOpaqueToken(text, SECRET, 'unsubscription')).toBe(token)
    expect(token).toMatch(/^[\w-]+$/)
    expect(readOpaqueToken(token, SECRET, 'unsubscription')).toBe(text === '' ? null : text)
  },
)

test('a token of another secret, purpose or text is not read, however little it was altered', () => {
  const token = makeOpaqueToken('9.35', SECRET, 'unsubscription')
  expect(readOpaqueToken(token, 'another', 'unsubscription')).toBeNull()
  expect(readOpaqueToken(token, SECRET, 'etag')).toBeNull()
  for (const [at, character] of [...token].entries()) {
    const other = character === 'A' ? 'B' : 'A'
    const altered = token.slice(0, at) + other + token.slice(at + 1)
    expect(readOpaqueToken(altered, SECRET, 'unsubscription')).toBeNull()
  }
  for (const broken of ['', 'A', token.slice(1), token.slice(0, -2), `${token}=`, `${token}A`]) {
    expect(readOpaqueToken(broken, SECRET, 'unsubscription')).toBeNull()
  }
})

test('tokens of similar texts have nothing in common, and the text is not in them', () => {
  const [one, other] = ['9.35', '9.36'].map((text) =>
    Buffer.from(makeOpaqueToken(text, SECRET, 'unsubscription'), 'base64url'),
  )
  expect(one?.includes('9.35')).toBe(false)
  expect(one?.subarray(0, 8)).not.toEqual(other?.subarray(0, 8))
})
