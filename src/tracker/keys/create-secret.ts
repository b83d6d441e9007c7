import { newApiKey, seal, sha256Hex } from '../../platform/lib/crypto/secrets.ts'

const PREFIX_LENGTH = 6

export async function createSecret({ SECRETS_KEY }: Pick<Env, 'SECRETS_KEY'>) {
  const key = newApiKey()
  const [hash, sealed] = await Promise.all([sha256Hex(key), seal(key, SECRETS_KEY)])
  return { key, stored: { hash, sealed, prefix: key.slice(0, PREFIX_LENGTH) } }
}
