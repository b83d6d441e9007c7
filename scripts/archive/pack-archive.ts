import { rmSync, writeFileSync } from 'node:fs'
import { MANIFEST, type Manifest, partFile } from './manifest.ts'
import type { Mapping } from './source/mapping.ts'
import { pack } from './tar.ts'

/** Notes that are printed; the file has all. */
const MAX_PRINTED = 20

/** Writes the archive of a folder into one file. */
export function packArchive(folder: string, manifest: Manifest, to: string): Promise<void> {
  const files = Object.keys(manifest.files).map((digest) => `files/${digest}`)
  const parts = Object.keys(manifest.parts).map(partFile)
  return pack(folder, [MANIFEST, ...parts, ...files], to)
}

/** Where an archive is made that is to be at `to`. */
export function workFolder(to: string): string {
  return to.endsWith('.tar.gz') ? `${to}.unfinished` : to
}

/** Puts an archive of another tracker where it belongs, its mapping beside it, and tells what it has. */
export async function deliverArchive(
  to: string,
  { manifest, mapping }: { readonly manifest: Manifest; readonly mapping: Mapping },
): Promise<void> {
  writeFileSync(`${to}.map.json`, `${JSON.stringify(mapping, null, 1)}\n`)
  const folder = workFolder(to)
  if (folder !== to) {
    await packArchive(folder, manifest, to)
    rmSync(folder, { recursive: true })
  }
  const { bugs, comments } = manifest.parts
  const sum = `${bugs?.lines ?? 0} bugs and ${comments?.lines ?? 0} comments`
  const more = mapping.notes.length - MAX_PRINTED
  const notes = [
    ...mapping.notes.slice(0, MAX_PRINTED),
    ...(more > 0 ? [`and ${more} more in ${to}.map.json`] : []),
  ]
  process.stdout.write(`${to} has ${sum}, as of ${manifest.moment}.\n`)
  process.stdout.write(notes.map((note) => `  ${note}\n`).join(''))
}
