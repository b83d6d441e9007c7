import * as z from 'zod'
import { findPart } from '../../src/edges/archive/parts.ts'

export const FORMAT = 'lacewing-archive'
export const VERSION = 1
export const MANIFEST = 'manifest.json'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal')
const size = z.int().nonnegative()
const partName = z.string().refine((name) => findPart(name) !== undefined, 'is no part')

const manifestShape = z.strictObject({
  format: z.literal(FORMAT),
  version: z.int().max(VERSION, 'is later than this program knows: use a newer one'),
  source: z.string().min(1).max(500),
  made: z.iso.datetime(),
  moment: z.iso.datetime(),
  since: z.iso.datetime().nullable(),
  credentials: z.boolean(),
  parts: z.record(partName, z.strictObject({ lines: size, bytes: size, sha256 })),
  files: z.record(sha256, z.strictObject({ size })),
  /** Digests of attachments whose bytes the source did not have. */
  missing: z.array(z.string()).default([]),
})

export type Manifest = z.output<typeof manifestShape>

/** Reads a manifest. Throws an error that names the member which does not fit. */
export function parseManifest(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('is not valid JSON')
  }
  const parsed = manifestShape.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`${issue?.path.join('.') || 'the whole'}: ${issue?.message}`)
  }
  return parsed.data
}

export function partFile(name: string): string {
  return `${name}.ndjson`
}
