import { describe, expect, it } from 'vitest'
import {
  hashPassword,
  newApiKey,
  newTokenSecret,
  sameText,
  seal,
  sha256Hex,
  unseal,
  verifyPassword,
} from '../../src/lib/secrets.ts'

// Made by an independent implementation of scrypt (RFC 7914).
const KNOWN =
  '$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$1R9aSMtre0xzBbvXRh8rJCrEi4UuO81fOKNB0L6vEmg'
const KNOWN_PASSWORD = 'correct horse battery'

describe('hashPassword', () => {
  it('writes its parameters, a salt of 16 bytes and a hash of 32 bytes', async () => {
    const stored = await hashPassword(KNOWN_PASSWORD)
    expect(stored).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  })

  it('salts: the same password never gives the same text, and each text verifies', async () => {
    const [one, two] = await Promise.all([hashPassword('same'), hashPassword('same')])
    expect(one).not.toBe(two)
    expect(await verifyPassword('same', one)).toBe(true)
    expect(await verifyPassword('same', two)).toBe(true)
    expect(await verifyPassword('Same', one)).toBe(false)
  })
})

describe('verifyPassword', () => {
  it.each([
    ['the usual parameters', KNOWN_PASSWORD, KNOWN],
    [
      'padded base64',
      KNOWN_PASSWORD,
      '$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw==$1R9aSMtre0xzBbvXRh8rJCrEi4UuO81fOKNB0L6vEmg=',
    ],
    [
      'other parameters',
      KNOWN_PASSWORD,
      '$scrypt$ln=10,r=8,p=1$ZGVmZ2hpamtsbW5v$NNCirE2QIvAmAV1IiIbBOzCJNTG1lDp/AxZWjrQkdco',
    ],
    [
      'a password beyond ASCII',
      'pässwörd 🐞',
      '$scrypt$ln=10,r=4,p=2$yMnKy8zNzs/Q0dLT1NXW1w$DT1oJ8EcgdK031MMHhavcSWZip0oxiBGkhKr6a1xhRo',
    ],
  ])('accepts the right password against a hash with %s', async (_what, plain, stored) => {
    expect(await verifyPassword(plain, stored)).toBe(true)
  })

  it.each([
    ['another case', 'Correct horse battery'],
    ['a shorter one', 'correct horse'],
    ['a longer one', 'correct horse battery '],
    ['an empty one', ''],
  ])('refuses %s', async (_what, plain) => {
    expect(await verifyPassword(plain, KNOWN)).toBe(false)
  })

  it.each([
    ['no text', null],
    ['an empty text', ''],
    ['the password itself', KNOWN_PASSWORD],
    ['a star', '*'],
    ['another scheme', '$argon2id$v=19$m=65536,t=3,p=4$AAECAwQFBgc$AAECAwQFBgc'],
    ['a hash cut short', KNOWN.slice(0, -1)],
    ['no hash', '$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$'],
    ['a hash of one byte', '$scrypt$ln=14,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$1R'],
    ['an altered hash', KNOWN.replace('$1R9a', '$1R9b')],
    ['an altered salt', KNOWN.replace('$AAEC', '$AAED')],
    ['altered parameters', KNOWN.replace('p=5', 'p=4')],
    ['text behind the hash', `${KNOWN}$`],
    ['parameters of zero', KNOWN.replace('p=5', 'p=0')],
    ['a cost of one', KNOWN.replace('ln=14', 'ln=0')],
    ['a block size too small for its cost', KNOWN.replace('ln=14,r=8', 'ln=16,r=1')],
    [
      'its own hash that takes more memory than is allowed',
      '$scrypt$ln=16,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$JRu+rXr4eznkKcphh1wYmEgW8PW4SfFQ75PW9+3Xarw',
    ],
    [
      'its own hash that takes more work than is allowed',
      '$scrypt$ln=14,r=8,p=9$AAECAwQFBgcICQoLDA0ODw$zmcWK5fRoJXo8w7Z9mnJdAU1Lmz4PIYZuEm3CwdKrTc',
    ],
  ])('answers false against %s', async (_what, stored) => {
    expect(await verifyPassword(KNOWN_PASSWORD, stored)).toBe(false)
  })
})

describe('newApiKey', () => {
  it('gives 40 letters and digits beginning with lw', () => {
    expect(newApiKey()).toMatch(/^lw[0-9A-Za-z]{38}$/)
  })

  it('favours no character and never repeats a key', () => {
    const keys = Array.from({ length: 6600 }, newApiKey)
    expect(new Set(keys).size).toBe(keys.length)
    const counts = countCharacters(keys.map((key) => key.slice(2)).join(''))
    expect(counts.size).toBe(62)
    // About 4,045 each. Chance strays by 64; taking bytes modulo 62 would put eight characters near 4,900.
    expect(Math.min(...counts.values())).toBeGreaterThan(3500)
    expect(Math.max(...counts.values())).toBeLessThan(4600)
  })
})

describe('newTokenSecret', () => {
  it('gives 22 letters and digits, and others each time', () => {
    const secrets = Array.from({ length: 100 }, newTokenSecret)
    for (const secret of secrets) {
      expect(secret).toMatch(/^[0-9A-Za-z]{22}$/)
    }
    expect(new Set(secrets).size).toBe(100)
  })
})

describe('sha256Hex', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['ü', '607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f'],
  ])('hashes %j', async (text, hex) => {
    expect(await sha256Hex(text)).toBe(hex)
  })
})

describe('seal and unseal', () => {
  it.each([
    ['a key', 'lw0123456789abcdefghijklmnopqrstuvwxyzAB'],
    ['nothing', ''],
    ['text beyond ASCII', '\ufeffü 🐞\n'],
    ['a long text', 'long '.repeat(5000)],
  ])('give %s back under the same secret', async (_what, plain) => {
    const sealed = await seal(plain, 'the secret')
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{22,}$/)
    expect(await unseal(sealed, 'the secret')).toBe(plain)
  })

  it('hide the text: two seals of one text differ, and neither contains it', async () => {
    const [one, two] = await Promise.all([seal('plain words', 's'), seal('plain words', 's')])
    expect(one).not.toBe(two)
    expect(one.split('.')[1]).toBe(two.split('.')[1])
    expect(atob((one.split('.')[3] ?? '').replaceAll('-', '+').replaceAll('_', '/'))).not.toContain(
      'plain',
    )
  })

  it('open a text sealed by an independent implementation of the same form', async () => {
    const sealed =
      'v1.47bba919.AAECAwQFBgcICQoL.i_v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls_1ByLshTRjnC_QFMrRk'
    expect(await unseal(sealed, 'a secret that was in use before')).toBe('lwOldKey0123456789 – ü🐞')
  })

  it('name the secret by the start of its hash, so that a rotation can tell secrets apart', async () => {
    const sealed = await seal('text', 'second secret')
    expect(sealed.split('.')[1]).toBe((await sha256Hex('second secret')).slice(0, 8))
  })

  it('answer null under another secret, even when the key ID is made to fit', async () => {
    const sealed = await seal('text', 'right')
    expect(await unseal(sealed, 'wrong')).toBeNull()
    const [, , iv, cipher] = sealed.split('.')
    const forged = `v1.${(await sha256Hex('wrong')).slice(0, 8)}.${iv}.${cipher}`
    expect(await unseal(forged, 'wrong')).toBeNull()
  })

  it('answer null when any single character was altered', async () => {
    const sealed = await seal('text', 'secret')
    const opened: string[] = []
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      if ((await unseal(altered, 'secret')) !== null) {
        opened.push(altered)
      }
    }
    expect(opened).toEqual([])
  })

  it('answer null when only the unused bits of the last character were altered', async () => {
    // 'text' gives 20 bytes of cipher: the last of 27 characters has two bits that stand for nothing.
    const sealed = await seal('text', 'secret')
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = digits.indexOf(sealed.slice(-1))
    for (const unused of [1, 2, 3]) {
      expect(await unseal(sealed.slice(0, -1) + digits[last + unused], 'secret')).toBeNull()
    }
  })

  it.each([
    [''],
    ['text'],
    ['v1...'],
    ['v2.47bba919.AAECAwQFBgcICQoL.i_v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls_1B'],
    ['v1.47bba919.AAECAwQFBgcICQoL.'],
    ['v1.47bba919.AAECAwQFBgcICQoL.AAAA'],
    ['v1.47bba919.AAECAwQFBgcICQ.i_v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls_1B'],
    ['v1.47bba919.AAECAwQFBgcICQoL.i/v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls/1B'],
  ])('answer null for %j', async (text) => {
    expect(await unseal(text, 'a secret that was in use before')).toBeNull()
  })
})

describe('sameText', () => {
  it.each([
    ['', '', true],
    ['abc', 'abc', true],
    ['ü🐞', 'ü🐞', true],
    ['abc', 'abd', false],
    ['abc', 'Abc', false],
    ['abc', 'abcd', false],
    ['abc', '', false],
    ['é', 'e', false],
    ['é', 'ab', false],
    ['\ud800', '\ud801', false],
    ['\ud800', '\ufffd', false],
  ])('compares %j and %j: %s', (a, b, same) => {
    expect(sameText(a, b)).toBe(same)
    expect(sameText(b, a)).toBe(same)
  })
})

function countCharacters(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const character of text) {
    counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  return counts
}
