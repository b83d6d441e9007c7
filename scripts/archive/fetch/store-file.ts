import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Of } from '../folder.ts'
import type { SourceAttachment } from '../source/shapes.ts'

type Stored = Pick<SourceAttachment, 'digest' | 'size'>

/** Puts the bytes of an attachment into the folder of files; without bytes, the archive says that they are missing. */
export function storeFile(
  folder: string,
  { id, size }: Pick<SourceAttachment, 'id' | 'size'>,
  bytes: Uint8Array | null,
): Stored {
  if (bytes === null) {
    return { digest: sha256Of(`attachment ${id} is missing`), size }
  }
  const digest = sha256Of(bytes)
  const path = join(folder, digest)
  writeFileSync(`${path}.new`, bytes)
  renameSync(`${path}.new`, path)
  return { digest, size: bytes.length }
}
