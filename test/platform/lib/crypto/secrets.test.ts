import { describe, expect, test } from 'vitest'
import {
  newApiKey,
  newTokenSecret,
  seal,
  sha256Hex,
  unseal,
} from '../../../../src/platform/lib/crypto/secrets.ts'

describe('newApiKey', () => {
  test('returns lw and 38 letters and digits', () => {
    expect(newApiKey()).toMatch(/^lw[0-9A-Za-z]{38}$/)
  })

  test('uses all characters evenly and repeats no key', () => {
    const keys = Array.from({ length: 6600 }, newApiKey)
    expect(new Set(keys).size).toBe(keys.length)
    const counts = countCharacters(keys.map((key) => key.slice(2)).join(''))
    expect(counts.size).toBe(62)
    // expects 4,045 each with a deviation of 64; bytes modulo 62 would put eight characters near 4,900
    expect(Math.min(...counts.values())).toBeGreaterThan(3500)
    expect(Math.max(...counts.values())).toBeLessThan(4600)
  })
})

describe('newTokenSecret', () => {
  test('returns 22 letters and digits, different each time', () => {
    const secrets = Array.from({ length: 100 }, newTokenSecret)
    for (const secret of secrets) {
      expect(secret).toMatch(/^[0-9A-Za-z]{22}$/)
    }
    expect(new Set(secrets).size).toBe(100)
  })
})

describe('sha256Hex', () => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['ü', '607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f'],
  ])('hashes %j', async (text, hex) => {
    expect(await sha256Hex(text)).toBe(hex)
  })
})

describe('seal and unseal', () => {
  test.each([
    ['a key', 'lw0123456789abcdefghijklmnopqrstuvwxyzAB'],
    ['nothing', ''],
    ['text beyond ASCII', '\ufeffü 🐞\n'],
    ['a long text', 'long '.repeat(5000)],
  ])('return %s under the same secret', async (_what, plain) => {
    const sealed = await seal(plain, 'the secret')
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{22,}$/)
    expect(await unseal(sealed, 'the secret')).toBe(plain)
  })

  test('encrypt a text differently each time and under the same key ID', async () => {
    const [one, two] = await Promise.all([seal('plain words', 's'), seal('plain words', 's')])
    expect(one).not.toBe(two)
    expect(one.split('.')[1]).toBe(two.split('.')[1])
    expect(atob((one.split('.')[3] ?? '').replaceAll('-', '+').replaceAll('_', '/'))).not.toContain(
      'plain',
    )
  })

  test('decrypt a text that an independent implementation encrypted', async () => {
    const sealed =
      'v1.47bba919.AAECAwQFBgcICQoL.i_v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls_1ByLshTRjnC_QFMrRk'
    expect(await unseal(sealed, 'a secret that was in use before')).toBe('lwOldKey0123456789 – ü🐞')
  })

  test('write the start of the hash of the secret as the key ID', async () => {
    const sealed = await seal('text', 'second secret')
    expect(sealed.split('.')[1]).toBe((await sha256Hex('second secret')).slice(0, 8))
  })

  test('return null under another secret, even with its key ID', async () => {
    const sealed = await seal('text', 'right')
    expect(await unseal(sealed, 'wrong')).toBeNull()
    const [, , iv, cipher] = sealed.split('.')
    const forged = `v1.${(await sha256Hex('wrong')).slice(0, 8)}.${iv}.${cipher}`
    expect(await unseal(forged, 'wrong')).toBeNull()
  })

  test('return null when any single character was altered', async () => {
    const sealed = await seal('text', 'secret')
    const decrypted: string[] = []
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      if ((await unseal(altered, 'secret')) !== null) {
        decrypted.push(altered)
      }
    }
    expect(decrypted).toEqual([])
  })

  test('return null when the unused bits of the last character were altered', async () => {
    // 'text' has 20 bytes of ciphertext: the last of 27 characters has two unused bits
    const sealed = await seal('text', 'secret')
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = digits.indexOf(sealed.slice(-1))
    for (const unused of [1, 2, 3]) {
      expect(await unseal(sealed.slice(0, -1) + digits[last + unused], 'secret')).toBeNull()
    }
  })

  test.each([
    [''],
    ['text'],
    ['v1...'],
    ['v2.47bba919.AAECAwQFBgcICQoL.i_v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls_1B'],
    ['v1.47bba919.AAECAwQFBgcICQoL.'],
    ['v1.47bba919.AAECAwQFBgcICQoL.AAAA'],
    ['v1.47bba919.AAECAwQFBgcICQ.i_v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls_1B'],
    ['v1.47bba919.AAECAwQFBgcICQoL.i/v8kw7uQt6nhnL7mrtfPxTt9eeTaijn908UxLpls/1B'],
  ])('return null for %j', async (text) => {
    expect(await unseal(text, 'a secret that was in use before')).toBeNull()
  })
})

function countCharacters(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const character of text) {
    counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  return counts
}
