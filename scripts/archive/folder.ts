import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CommandError } from '../command.ts'
import { MANIFEST, type Manifest, parseManifest, partFile } from './manifest.ts'
import { unpack } from './tar.ts'

/** An archive as a folder. */
export type ArchiveFolder = {
  readonly folder: string
  readonly manifest: Manifest
  /** The digest of the manifest, which tells this archive from others. */
  readonly digest: string
}

/** Runs an action with an archive: a folder, or a `.tar.gz`, which is unpacked for the time. */
export async function withArchive<Result>(
  from: string,
  action: (archive: ArchiveFolder) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(from)) {
    throw new CommandError(`${from} does not exist.`)
  }
  if (statSync(from).isDirectory()) {
    return action(await openFolder(from))
  }
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  try {
    await unpack(from, folder, (text) => {
      const { parts, files } = parseManifest(text)
      const sizes = new Map([
        ...Object.entries(parts).map(([name, { bytes }]) => [partFile(name), bytes] as const),
        ...Object.entries(files).map(([name, { size }]) => [`files/${name}`, size] as const),
      ])
      return (name) => sizes.get(name) ?? null
    }).catch((error: unknown) => {
      throw new CommandError(`${from}: ${error instanceof Error ? error.message : error}`)
    })
    return await action(await openFolder(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function openFolder(folder: string): Promise<ArchiveFolder> {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) {
    throw new CommandError(`${folder} has no ${MANIFEST}: it is no archive, or an unfinished one.`)
  }
  const text = await readFile(path, 'utf8')
  try {
    return { folder, manifest: parseManifest(text), digest: sha256Of(text) }
  } catch (error) {
    throw new CommandError(`${MANIFEST} ${error instanceof Error ? error.message : error}`)
  }
}

/** The lines of a part with their numbers. A part without a file has none. */
export function readLines(folder: string, part: string) {
  return readFileLines(join(folder, partFile(part)))
}

/** The lines of a file with their numbers; none when it does not exist. */
export async function* readFileLines(
  path: string,
): AsyncGenerator<{ number: number; text: string }> {
  if (!existsSync(path)) {
    return
  }
  let number = 0
  for await (const text of createInterface({ input: createReadStream(path, 'utf8') })) {
    number += 1
    if (text !== '') {
      yield { number, text }
    }
  }
}

/** Lines, bytes and digest of a file, whose lines are at most so long. Throws for a longer one. */
export async function describeFile(path: string, maxLine = Number.POSITIVE_INFINITY) {
  const hash = createHash('sha256')
  let [lines, bytes, lineStart] = [0, 0, 0]
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(piece)
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) {
      lines += 1
      lineStart = bytes + at + 1
    }
    bytes += piece.length
    if (bytes - lineStart > maxLine) {
      throw new Error(`line ${lines + 1} is longer than ${maxLine} bytes`)
    }
  }
  return { lines, bytes, sha256: hash.digest('hex') }
}

export function sha256Of(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The names in a folder; none when it does not exist. */
export async function listFolder(folder: string): Promise<string[]> {
  return existsSync(folder) ? await readdir(folder) : []
}
