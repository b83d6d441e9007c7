import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTS } from '../../src/edges/archive/parts.ts'
import { CommandError } from '../command.ts'
import { describeFile, readFileLines, sha256Of } from './folder.ts'
import { FORMAT, MANIFEST, type Manifest, partFile, VERSION } from './manifest.ts'
import { showProgress } from './progress.ts'
import type { Tracker } from './tracker.ts'

type Backup = { name: string; since: string | null; moment: string; pieces: string[] }

/** Writes a backup of the bucket as an archive into a new folder. */
export async function fetchBackup(
  tracker: Tracker,
  folder: string,
  source: string,
  name: string,
): Promise<Manifest> {
  const { backups } = (await (await tracker.request('GET', '/backup')).json()) as {
    backups: Backup[]
  }
  const backup = backups.find((one) => one.name === name)
  if (backup === undefined) {
    const names = backups.map((one) => `${one.name}${one.since === null ? ' (whole)' : ''}`)
    throw new CommandError(`There is no backup ${name}. There are: ${names.join(', ') || 'none'}.`)
  }
  if (existsSync(folder)) {
    throw new CommandError(`${folder} exists already.`)
  }
  mkdirSync(join(folder, 'files'), { recursive: true })
  for (const [n, piece] of backup.pieces.entries()) {
    const response = await tracker.request('GET', `/backup/${name}/${piece}`)
    if (!response.ok) {
      throw new CommandError(`The piece ${piece} of the backup ${name} is missing.`)
    }
    const [part = ''] = piece.split('.')
    appendFileSync(join(folder, partFile(part)), new Uint8Array(await response.arrayBuffer()))
    showProgress('pieces', n + 1, backup.pieces.length)
  }
  const parts: Manifest['parts'] = {}
  for (const part of PARTS.map((one) => one.name)) {
    if (existsSync(join(folder, partFile(part)))) {
      parts[part] = await describeFile(join(folder, partFile(part)))
    }
  }
  const { files, missing } = await fetchFiles(tracker, folder, name)
  const manifest: Manifest = {
    ...{ format: FORMAT, version: VERSION, source, made: new Date().toISOString() },
    ...{ moment: backup.moment, since: backup.since, credentials: true, parts, files, missing },
  }
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`)
  return manifest
}

async function fetchFiles(
  tracker: Tracker,
  folder: string,
  name: string,
): Promise<Pick<Manifest, 'files' | 'missing'>> {
  const needed = new Set<string>()
  for await (const { text } of readFileLines(join(folder, partFile('attachments')))) {
    needed.add((JSON.parse(text) as { digest: string }).digest)
  }
  const files: Manifest['files'] = {}
  const objects = join(folder, partFile('objects'))
  for await (const { text } of readFileLines(objects)) {
    const { digest, key } = JSON.parse(text) as { digest: string; key: string }
    if (needed.has(digest) && !(digest in files) && /^attachments\/[\w-]+$/.test(key)) {
      const response = await tracker.request('GET', `/backup/${name}/${key}`)
      const bytes = new Uint8Array(await response.arrayBuffer())
      if (response.ok && sha256Of(bytes) === digest) {
        writeFileSync(join(folder, 'files', digest), bytes)
        files[digest] = { size: bytes.length }
      }
    }
  }
  rmSync(objects, { force: true })
  return { files, missing: [...needed].filter((digest) => !(digest in files)).sort() }
}
