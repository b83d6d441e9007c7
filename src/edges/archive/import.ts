import { Buffer } from 'node:buffer'
import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { retryOnConflict, WriteConflict } from '../../platform/db/commit.ts'
import { fault, invalidParameter, parameterMissing } from '../../platform/faults/fault.ts'
import { operation } from '../../platform/http/operations/operation.ts'
import { boolean, text } from '../../platform/http/operations/shapes.ts'
import { readBody } from '../../platform/http/request/body-chunks.ts'
import { hashBlocks } from '../../platform/lib/crypto/hash-blocks.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { beginImport } from './begin-import.ts'
import { endImport } from './end-import.ts'
import {
  archiveIncomplete,
  archivePartUnknown,
  fileDigestWrong,
  importNeedsKey,
  importNotBegun,
  importOfOther,
  linesContradict,
  trackerInUse,
  trackerNotEmpty,
} from './faults.ts'
import { storeFile } from './file.ts'
import { importLines } from './import-lines.ts'
import { loadImport, mayImport, parseProgress, requireOpen } from './import-state.ts'
import { findPart } from './parts.ts'

/** Of the lines of one request, so that they and the rows that they become fit into memory. */
const MAX_LINES_KB = 4096
const MAX_SOURCE = 500
const DIGEST = /^[0-9a-f]{64}$/

const progressShape = z.strictObject({
  source: z.string(),
  archive: z.string(),
  began: z.iso.datetime(),
  ended: z.iso.datetime().nullable(),
  parts: z.record(z.string(), z.int()),
})

export const changeImport = operation(
  {
    method: 'POST',
    path: '/import',
    summary: 'Begin or end an import',
    reference: 'archive.md#begin-and-end-an-import',
    input: z.object({
      begin: boolean(),
      end: boolean(),
      source: text(),
      archive: text(),
      counts: z.record(z.string(), z.int()).optional(),
    }),
    output: progressShape,
    faults: [
      ...[importNeedsKey, trackerNotEmpty, importOfOther, trackerInUse],
      ...[importNotBegun, archiveIncomplete],
    ],
    requires: mayImport,
    scope: 'write-all-products',
  },
  async (ctx, { begin, end, source, archive, counts = {} }) => {
    if (begin === end) {
      throw invalidParameter('begin', 'or end must be true, and not both')
    }
    if (begin) {
      await beginImport(ctx, requireName('source', source), requireName('archive', archive))
    } else {
      await endImport(ctx, counts)
    }
    const row = await loadImport(ctx)
    return {
      source: row?.source ?? '',
      archive: row?.archive ?? '',
      began: toDatetime(row?.beganAt ?? 0),
      ended: row === undefined || row.endedAt === null ? null : toDatetime(row.endedAt),
      parts: row === undefined ? {} : parseProgress(row),
    }
  },
)

function requireName(field: string, value: string | undefined): string {
  if (value === undefined || value.trim() === '') {
    throw fault(parameterMissing, { field })
  }
  if (value.length > MAX_SOURCE) {
    throw invalidParameter(field, `may have at most ${MAX_SOURCE} characters`)
  }
  return value
}

export const importPart = operation(
  {
    method: 'POST',
    path: '/import/:part',
    summary: 'Import lines of a part',
    reference: 'archive.md#import-lines',
    input: z.object({ part: z.string(), dry_run: boolean() }),
    output: z.strictObject({
      accepted: z.int(),
      repeated: z.int(),
      refused: z.array(z.strictObject({ line: z.int(), reason: z.string() })),
    }),
    rawBody: 'application/x-ndjson',
    faults: [archivePartUnknown, importNotBegun, linesContradict],
    requires: mayImport,
    scope: 'write-all-products',
  },
  async (ctx, { part: name, dry_run: isDryRun = false }) => {
    const part = findPart(name)
    if (part === undefined) {
      throw fault(archivePartUnknown, { name: name.slice(0, 100) })
    }
    const lines = new TextDecoder().decode(await readBytes(ctx, MAX_LINES_KB))
    let conflicts = 0
    const answer = await retryOnConflict(ctx, async (again) => {
      try {
        return await importLines(again, part, lines, isDryRun)
      } catch (error) {
        conflicts += 1
        // who else writes here has written by now: the lines themselves contradict
        if (error instanceof WriteConflict && conflicts > 2) {
          throw fault(linesContradict, { part: part.name })
        }
        throw error
      }
    })
    return { ...answer, refused: [...answer.refused] }
  },
)

export const importFile = operation(
  {
    method: 'PUT',
    path: '/import/file/:digest',
    summary: 'Import the bytes of attachments',
    reference: 'archive.md#import-a-file',
    input: z.object({ digest: z.string() }),
    output: z.strictObject({ stored: z.boolean() }),
    rawBody: 'application/octet-stream',
    faults: [importNotBegun, fileDigestWrong],
    requires: mayImport,
    scope: 'write-all-products',
  },
  async (ctx, { digest }) => {
    if (!DIGEST.test(digest)) {
      throw invalidParameter('digest', 'must be a SHA-256 of 64 lower-case hexadecimal digits')
    }
    requireOpen(await loadImport(ctx))
    const bytes = await readBytes(ctx, ctx.settings.MAX_ATTACHMENT_KB)
    if (hashBlocks([bytes]) !== digest) {
      throw fault(fileDigestWrong, { digest })
    }
    return { stored: await storeFile(ctx, digest, bytes) }
  },
)

async function readBytes({ rawRequest }: Ctx, limitKb: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!rawRequest) {
    throw new Error('The operation does not declare its raw body')
  }
  const pieces: Uint8Array[] = []
  await readBody(
    rawRequest,
    limitKb,
    (bytes) => pieces.push(bytes.slice()),
    () => pieces.splice(0),
  )
  return Buffer.concat(pieces)
}
