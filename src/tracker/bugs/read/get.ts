import * as z from 'zod'
import {
  bugsNamed,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
  separateVisibleBugs,
} from '../../../platform/access/bug-set.ts'
import { bugAccessFaults } from '../../../platform/access/faults.ts'
import type { Ctx } from '../../../platform/context.ts'
import { type ExpressionSelect, readBatch } from '../../../platform/db/read-batch.ts'
import type { Fault } from '../../../platform/faults/fault.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import {
  boolean,
  bugNames,
  datetime,
  selectionInput,
} from '../../../platform/http/operations/shapes.ts'
import { countReader } from '../../../platform/load/readers.ts'
import { attachmentListFaults } from '../../attachments/faults.ts'
import { StreamedBytes } from '../../attachments/streamed-bytes.ts'
import { failTooLong } from '../../history/discussion-bounds.ts'
import { discussionsTooLong } from '../../history/faults.ts'
import { bugsTooLong } from '../model/faults.ts'
import { BugReading } from './reader.ts'
import { chunksOf, writeChunk } from './search-chunks.ts'
import { bugShape } from './shape.ts'
import { BugStream } from './stream.ts'

export const getBugInput = z.object({
  id_or_alias: z.string(),
  ids: bugNames(),
  permissive: boolean(),
  new_since: datetime(),
  ...selectionInput,
})

const faultShape = z.strictObject({ id: z.string(), faultString: z.string(), faultCode: z.int() })

/** What is wrong with a part of a request that is answered all the same; `id` is that part. */
export function presentFault(id: string, { message, code }: Fault): z.output<typeof faultShape> {
  return { id, faultString: message, faultCode: code }
}

export const bugsOutput = z.strictObject({
  faults: z.array(faultShape),
  bugs: z.array(bugShape),
})

/**
 * The bugs of the path and of `ids`, in that order and each once, in one round trip. With discussions,
 * histories or attachments each 50 bugs cost one, and comments beyond 6 MB one for each such part of a
 * bug. `new_since` leaves out older comments and history.
 */
export const getBug = operation(
  {
    method: 'GET',
    path: '/bug/:id_or_alias',
    summary: 'Read bugs by ID or alias',
    reference: 'bugs.md#get-bugs',
    input: getBugInput,
    output: bugsOutput,
    faults: [...bugAccessFaults, ...attachmentListFaults, discussionsTooLong, bugsTooLong],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const { answer } = await getBugAnd(ctx, input)
    return answer
  },
)

/** The same, with the rows of one more select, read from the same state of the database. */
export function getBugAnd<Row>(
  ctx: Ctx,
  input: z.output<typeof getBugInput>,
  select?: ExpressionSelect<Row>,
) {
  const refs = parseBugRefs(input.id_or_alias, input.ids)
  const reading = new BugReading(ctx, input, input.new_since)
  return reading.load.answerMany(refs.length, () =>
    reading.load.inTurn(refs.length, () => readBugs(ctx, input, { refs, reading, select })),
  )
}

async function readBugs<Row>(
  ctx: Ctx,
  input: z.output<typeof getBugInput>,
  {
    refs,
    reading,
    select,
  }: {
    readonly refs: ReturnType<typeof parseBugRefs>
    readonly reading: BugReading
    readonly select: ExpressionSelect<Row> | undefined
  },
) {
  reading.load.admit(refs.length)
  const isSplit = reading.load.isLarge && !reading.wantsBytes && refs.length > reading.load.chunk
  const first = isSplit ? refs.slice(0, reading.load.chunk) : refs
  const named = { resolved: resolveBugs(ctx.caller, refs), more: select }
  const readFirst = () =>
    readBatch(ctx, { ...named, ...reading.selects(bugsNamed(ctx.caller, first), first.length) })
  const whole = await reading.load.orTooLong(first.length, () =>
    refs.length > 1 ? reading.load.readMany(readFirst) : countReader(readFirst),
  )
  const read = whole ?? (await readBatch(ctx, named))
  const found = input.permissive
    ? separateVisibleBugs(ctx.caller, refs, read.resolved)
    : { ids: requireVisibleBugs(ctx.caller, refs, read.resolved), faults: [] }
  const faults = found.faults.map(({ given, fault }) => presentFault(given, fault))
  if (whole === null) {
    return { answer: await streamInParts(ctx, reading, found.ids, faults), more: read.more }
  }
  const byId = new Map(whole.rows.map((row) => [row.id, row]))
  const rows = found.ids.flatMap((id) => byId.get(id) ?? [])
  if (isSplit) {
    const { texts, covered } = writeChunk(reading, { ...whole, rows })
    await reading.admitLength(found.ids)
    const rest = () => chunksOf(ctx, reading, found.ids.slice(covered))
    return { answer: new BugStream(reading, texts, rest, faults), more: read.more }
  }
  const gaps = new StreamedBytes()
  const answer = { faults, bugs: reading.present({ ...whole, rows }, gaps) }
  await reading.admitLength(found.ids)
  return { answer: await gaps.respond(ctx, answer, reading.gaps), more: read.more }
}

/** Answers with these bugs in their order, whose lists were too long for one statement, in parts. */
export async function streamInParts(
  ctx: Ctx,
  reading: BugReading,
  ids: readonly number[],
  faults: readonly z.output<typeof faultShape>[],
): Promise<BugStream> {
  if (reading.wantsBytes) {
    // their answer is one piece
    failTooLong()
  }
  await reading.admitLists(ids)
  await reading.admitLength(ids)
  return new BugStream(reading, [], () => chunksOf(ctx, reading, ids), faults)
}
