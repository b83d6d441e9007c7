import { createHash } from 'node:crypto'
import type { ByteBlocks } from '../base64.ts'

/** The SHA-256 of the bytes in all blocks, as lower-case hexadecimal digits. */
export function hashBlocks(blocks: ByteBlocks): string {
  const hash = createHash('sha256')
  for (const block of blocks) {
    hash.update(block)
  }
  return hash.digest('hex')
}
