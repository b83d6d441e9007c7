import * as z from 'zod'
import { fault } from '../../platform/faults/fault.ts'
import { operation } from '../../platform/http/operations/operation.ts'
import { backupKey, loadBackups as list } from './back-up.ts'
import { mayExport } from './export.ts'
import { backupUnknown } from './faults.ts'

export const listBackups = operation(
  {
    method: 'GET',
    path: '/backup',
    summary: 'List the backups in the bucket',
    reference: 'archive.md#read-backups',
    input: z.object({}),
    output: z.strictObject({
      backups: z.array(
        z.strictObject({
          name: z.string(),
          since: z.iso.datetime().nullable(),
          moment: z.iso.datetime(),
          pieces: z.array(z.string()),
        }),
      ),
    }),
    requires: mayExport,
    scope: 'read-all-products',
    isVolatile: true,
  },
  async (ctx) => ({
    backups: (await list(ctx)).map(({ pieces, ...backup }) => ({ ...backup, pieces: [...pieces] })),
  }),
)

const NAME = /^\d{4}-\d\d-\d\d$/
const PIECE = /^[a-z_]+\.\d+\.ndjson$/
/** The place of the bytes of an attachment, as the pieces `objects` tell it. */
const OBJECT = /^attachments\/[\w-]+$/

export const readBackup = operation(
  {
    method: 'GET',
    path: '/backup/:name/:piece{.+}',
    summary: 'Read a piece of a backup',
    reference: 'archive.md#read-backups',
    input: z.object({ name: z.string(), piece: z.string() }),
    output: z.unknown().meta({ type: 'string', format: 'binary' }),
    mediaType: 'application/octet-stream',
    faults: [backupUnknown],
    requires: mayExport,
    scope: 'read-all-products',
    isVolatile: true,
  },
  async (ctx, { name, piece }) => {
    const key = OBJECT.test(piece) ? piece : PIECE.test(piece) ? backupKey(name, piece) : null
    const object = key === null || !NAME.test(name) ? null : await ctx.env.FILES.get(key)
    if (object === null) {
      throw fault(backupUnknown, { name: `${name}/${piece}`.slice(0, 100) })
    }
    return new Response(object.body, { headers: { 'content-type': 'application/octet-stream' } })
  },
)
