import { MANIFEST, type Manifest, partFile } from './manifest.ts'
import { pack } from './tar.ts'

/** Writes the archive of a folder into one file. */
export function packArchive(folder: string, manifest: Manifest, to: string): Promise<void> {
  const files = Object.keys(manifest.files).map((digest) => `files/${digest}`)
  const parts = Object.keys(manifest.parts).map(partFile)
  return pack(folder, [MANIFEST, ...parts, ...files], to)
}
