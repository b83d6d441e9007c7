import type * as z from 'zod'
import { Fault } from '../../../platform/faults/fault.ts'
import { setRetryAfter } from '../../../platform/http/response/on-fault.ts'
import { presentWarnings } from '../../../platform/http/response/warnings.ts'
import { streamText } from '../../../platform/lib/stream.ts'
import { countSender } from '../../../platform/load/readers.ts'
import { searchBugs } from '../../../tracker/bugs/read/search.ts'
import { BugStream } from '../../../tracker/bugs/read/stream.ts'
import { askStreamed, type PageRequest } from '../page.ts'
import { writeCalendar } from './calendar.ts'
import { chooseColumns, listUnknownColumns } from './columns.tsx'
import { writeCsv } from './csv.ts'
import { writeFeed } from './feed.ts'
import type { FileContent } from './file-content.ts'
import { type ListQuery, readWholeNumber } from './query.ts'
import { writeRdf } from './rdf.ts'

type FileType = {
  readonly contentType: string
  readonly extension: string
  readonly write: (content: FileContent) => AsyncGenerator<string>
  /** Whether it says itself what of the search means nothing. */
  readonly hasFaults?: boolean
  /** The fields of bugs that it needs beside its columns. */
  readonly reads: readonly string[]
  /** Bugs of a file that asks for no other number. */
  readonly limit?: number
}

/** A reader of feeds asks for news often. */
const FEED_ENTRIES = 100

const FEED: FileType = {
  contentType: 'application/atom+xml',
  extension: 'atom',
  write: writeFeed,
  reads: ['id', 'summary', 'creation_time', 'last_change_time', 'creator_detail'],
  limit: FEED_ENTRIES,
}

const JSON_FILE: FileType = {
  contentType: 'application/json',
  extension: 'json',
  write: writeJson,
  hasFaults: true,
  reads: [],
}

/** The forms of a list by what addresses call them. */
const FILE_TYPES: Readonly<Record<string, FileType>> = {
  csv: { contentType: 'text/csv', extension: 'csv', write: writeCsv, reads: [] },
  atom: FEED,
  rss: FEED,
  rdf: { contentType: 'application/rdf+xml', extension: 'rdf', write: writeRdf, reads: [] },
  ics: {
    contentType: 'text/calendar',
    extension: 'ics',
    write: writeCalendar,
    reads: ['id', 'summary', 'status', 'resolution', 'deadline', 'last_change_time'],
  },
  json: JSON_FILE,
  js: JSON_FILE,
}

async function* writeJson({ bugs, faults }: FileContent) {
  let separator = '{"bugs":['
  for await (const bug of bugs) {
    yield separator + JSON.stringify(bug)
    separator = ','
  }
  yield `${separator === ',' ? '' : separator}],"faults":${JSON.stringify(faults)}}`
}

/** The form that an address asks for; null for a page. */
export function findFileType({ searchParams }: URL): FileType | null {
  const name = searchParams.get('ctype')?.trim().toLowerCase() ?? ''
  return Object.hasOwn(FILE_TYPES, name) ? (FILE_TYPES[name] ?? null) : null
}

/** A list as a file, as long as a search of the API may be. What is wrong stands in the answer, as its status tells. */
export async function answerFile(
  request: PageRequest,
  type: FileType,
  query: ListQuery,
): Promise<Response> {
  try {
    return await answerBugs(request, type, query)
  } catch (error) {
    if (error instanceof Fault) {
      const headers = new Headers()
      setRetryAfter(headers, error)
      const { code, message, status } = error
      return type === JSON_FILE
        ? Response.json({ error: true, code, message }, { status, headers })
        : new Response(`${message}\n`, { status, headers })
    }
    throw error
  }
}

async function answerBugs(
  request: PageRequest,
  { contentType, extension, write, hasFaults = false, reads, limit }: FileType,
  { criteria, order, columnList, ignored }: ListQuery,
): Promise<Response> {
  const { url, ctx } = request
  const columns = chooseColumns(columnList, true)
  const offset = readWholeNumber(url.searchParams, 'offset') ?? 0
  const asked = readWholeNumber(url.searchParams, 'limit')
  const { body } = await askStreamed(request, searchBugs, {
    ...criteria,
    ...(order !== '' && { order }),
    limit: asked ?? limit ?? 0,
    offset,
    include_fields: [...reads, ...columns.flatMap((column) => column.reads)],
  })
  const content = contentOf(body)
  const warnings = presentWarnings(
    new Map([
      ['parameters', [...ignored, ...listUnusedByFiles(url)]],
      // of custom fields the search alone knows which there are
      ['columnlist', [...listUnknownColumns(columnList), ...listUnknownFields(request)]],
      ['faults', hasFaults ? [] : content.faults.map(({ faultString }) => faultString)],
    ]),
  )
  const written = write({ ...content, columns, url, now: ctx.now })
  const pieces = body instanceof BugStream ? written : countSender(written)
  return new Response(streamText(pieces, `bugs as ${extension}`), {
    headers: {
      'content-type': `${contentType}; charset=utf-8`,
      'content-disposition': `${extension === 'csv' ? 'attachment' : 'inline'}; filename="bugs.${extension}"`,
      ...(warnings !== '' && { 'x-tracker-warnings': warnings }),
    },
  })
}

/** Parameters of a search that say what its answer is; files are what their columns say. */
function listUnusedByFiles({ searchParams }: URL): string[] {
  const names = ['include_fields', 'exclude_fields', 'count_only', 'count_total', 'after']
  return names.filter((name) => (searchParams.get(name) ?? '').trim() !== '')
}

function listUnknownFields({ c }: PageRequest): readonly string[] {
  return c.get('unused')?.get('include_fields') ?? []
}

/** Bugs that are read while they are sent are not read ahead for a file either. */
function contentOf(
  body: z.output<typeof searchBugs.output> | Response,
): Pick<FileContent, 'bugs' | 'faults'> {
  if (body instanceof BugStream) {
    return { bugs: body.readBugs(), faults: body.faults }
  }
  return 'bugs' in body ? body : { bugs: [], faults: [] }
}
