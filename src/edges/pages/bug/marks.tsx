import { Fault } from '../../../platform/faults/fault.ts'
import { changeBugs } from '../../../tracker/bugs/change/change.ts'
import { changeCommentTags } from '../../../tracker/comments/tags.ts'
import { ask, fieldText, type PageRequest, redirectTo } from '../page.ts'
import { rereading } from './change.tsx'
import { loadBugPage } from './load.ts'
import { BugDocument } from './show.tsx'

/** Changes the tags of a comment and whether it is private. */
export async function sendMarks(request: PageRequest) {
  const { id = '', comment = '' } = request.path
  const [had, has] = [wordsOf(fieldText(request, 'had_tags')), wordsOf(fieldText(request, 'tags'))]
  const add = has.filter((tag) => !had.includes(tag))
  const remove = had.filter((tag) => !has.includes(tag))
  const wanted = fieldText(request, 'private') === '1'
  try {
    if (add.length + remove.length > 0) {
      await ask(request, changeCommentTags, { comment_id: comment, add, remove })
    }
    if (wanted !== (fieldText(request, 'was_private') === '1')) {
      const parameters = { id_or_alias: id, comment_is_private: { [comment]: wanted } }
      await ask(request, changeBugs, parameters)
    }
  } catch (error) {
    if (!(error instanceof Fault)) {
      throw error
    }
    const url = new URL(request.url)
    url.search = `${new URLSearchParams({ ...pageOf(request), mark: countOf(request) })}`
    const again = { ...rereading(request), url }
    const page = await loadBugPage(again, id, false)
    request.c.status(error.status)
    const refusal = { message: error.message, field: undefined }
    return <BugDocument request={again} page={page} state={{ refusal }} />
  }
  const query = new URLSearchParams(pageOf(request))
  const address = `/bug/${encodeURIComponent(id)}${query.size === 0 ? '' : `?${query}`}`
  return redirectTo(`${address}#c${countOf(request)}`)
}

/** The page of older comments that the form stood on. */
function pageOf(request: PageRequest): { before?: string } {
  const before = Number(fieldText(request, 'before')) || 0
  return before === 0 ? {} : { before: String(before) }
}

function countOf(request: PageRequest): string {
  return String(Number(fieldText(request, 'count')) || 0)
}

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}
