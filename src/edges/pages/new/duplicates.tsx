import { findPossibleDuplicates } from '../../../tracker/bugs/read/possible-duplicates.ts'
import { ask, type PageRequest } from '../page.ts'
import { BugLink, LinkedStatus } from '../parts/bug-link.tsx'

const MAX_SHOWN = 5

/** Shorter summaries say nothing. */
const MIN_LENGTH = 5

export type FindableBug = Awaited<ReturnType<typeof findDuplicates>>[number]

/** Bugs whose summaries are like one, the likest first. */
export async function findDuplicates(request: PageRequest, summary: string, product: string) {
  if (summary.trim().length < MIN_LENGTH) {
    return []
  }
  const { bugs } = await ask(request, findPossibleDuplicates, {
    summary,
    ...(product !== '' && { product: [product] }),
    limit: MAX_SHOWN,
    include_fields: ['id', 'summary', 'status', 'resolution', 'is_open'],
  })
  return bugs
}

/** The list alone, for the script of the form. */
export async function suggestDuplicates(request: PageRequest): Promise<Response> {
  const { searchParams } = request.url
  const summary = searchParams.get('summary')?.slice(0, 255) ?? ''
  const bugs = await findDuplicates(request, summary, searchParams.get('product') ?? '')
  const list = bugs.length === 0 ? '' : String(await (<DuplicateList bugs={bugs} />))
  return request.c.html(list)
}

export function DuplicateList({ bugs }: { bugs: readonly FindableBug[] }) {
  return (
    <ul>
      {bugs.map((bug) => (
        <li>
          <BugLink bug={bug} /> {bug.summary} <LinkedStatus bug={bug} />
        </li>
      ))}
    </ul>
  )
}
