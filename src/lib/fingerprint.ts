const MULTIPLIERS = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f] as const

type State = [number, number, number, number]

/** Many texts in a row have one key. */
let lastKey: string | undefined
let behindKey: State = [0, 0, 0, 0]

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * 128 bits in 32 hexadecimal digits that are the same for the same text and key, and in all likelihood
 * differ for any other. For telling texts apart many times a request, where the runtime's digests cost
 * more than the rest of the answer; no secret may rest on it.
 */
export function fingerprint(text: string, key: string): string {
  if (key !== lastKey) {
    lastKey = key
    behindKey = [1, 2, 3, 4]
    stir(behindKey, key)
  }
  const state: State = [...behindKey]
  stir(state, text)
  // the lengths part texts that run into their key
  stir(state, `${key.length}:${text.length}`)
  return state.map(hexadecimal).join('')
}

function hexadecimal(word: number): string {
  return `${digits(word >>> 24)}${digits(word >>> 16)}${digits(word >>> 8)}${digits(word)}`
}

function digits(word: number): string {
  return DIGITS[word & 0xff] ?? ''
}

function stir(state: State, text: string): void {
  let [a, b, c, d] = state
  const [m1, m2, m3, m4] = MULTIPLIERS
  for (let i = 0; i < text.length; i += 2) {
    // two characters at a time; behind the last one stands nothing
    const one = text.charCodeAt(i)
    const other = i + 1 < text.length ? text.charCodeAt(i + 1) : 0
    // a product carries upwards only, so each of them stands in the lower half of some words
    const pair = one | (other << 16)
    const turned = other | (one << 16)
    a = b ^ Math.imul(a ^ pair, m1)
    b = c ^ Math.imul(b ^ turned, m2)
    c = d ^ Math.imul(c ^ pair, m3)
    d = a ^ Math.imul(d ^ turned, m4)
  }
  a = Math.imul(c ^ (a >>> 18), m1)
  b = Math.imul(d ^ (b >>> 22), m2)
  c = Math.imul(a ^ (c >>> 17), m3)
  d = Math.imul(b ^ (d >>> 19), m4)
  state[0] = a ^ b ^ c ^ d
  state[1] = b ^ a
  state[2] = c ^ a
  state[3] = d ^ a
}
