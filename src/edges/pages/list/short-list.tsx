import { searchBugs } from '../../../tracker/bugs/read/search.ts'
import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import { ask, type PageRequest } from '../page.ts'
import { BugTable } from './bug-table.tsx'
import { chooseColumns } from './columns.tsx'

const COLUMNS = chooseColumns(['short_desc', 'component', 'bug_status', 'priority', 'changeddate'])

/** Bugs for a list that is a part of a page. */
export async function findBugs(
  request: PageRequest,
  parameters: object,
): Promise<readonly BugObject[]> {
  const answer = await ask(request, searchBugs, {
    ...parameters,
    include_fields: COLUMNS.flatMap(({ reads }) => reads),
  })
  return 'bugs' in answer ? answer.bugs : []
}

export function ShortList({ bugs }: { bugs: readonly BugObject[] }) {
  return <BugTable bugs={bugs} columns={COLUMNS} />
}
