import { raw } from 'hono/html'
import { commaList, fold } from '../../../platform/lib/text.ts'
import { isBeginning } from '../../../tracker/comments/chunks.ts'
import type { PageRequest } from '../page.ts'
import { Form, Tick } from '../parts/form.tsx'
import { Moment } from '../parts/moment.tsx'
import { PersonLink } from '../parts/person.tsx'
import { PrivateMark } from './attachments.tsx'
import { ChangeList, Earlier, historyOn } from './changes.tsx'
import { type BugPage, type Comment, changesBefore, MAX_COMMENTS, maySend } from './load.ts'
import { type HistoryEntry, historyAddress } from './load-history.ts'

/** What happened at once: a comment with the changes that came with it, or changes alone. */
type Step = {
  readonly at: string
  readonly comment?: Comment
  readonly changes: readonly HistoryEntry[]
}

/** Comments in their order, with the changes between them. */
export function Discussion({ page, request }: { page: BugPage; request: PageRequest }) {
  const { entries, earlier } = historyOn(page, request)
  const steps = mergeChanges(page.comments, entries)
  const firstChanged = steps.find(({ changes }) => changes.length > 0) ?? steps[0]
  const { searchParams: query } = request.url
  const showsHistory = query.get('history') === '1'
  const isNew = ({ at, comment, changes }: Step) =>
    page.lastVisit !== undefined &&
    at > page.lastVisit &&
    (comment?.creator ?? changes[0]?.who) !== request.viewer?.login
  const firstNew = steps.find(isNew)
  return (
    <section aria-labelledby="discussion">
      <div class="bar">
        <h2 id="discussion">Discussion</h2>
        {page.history.entries.length > 0 && (
          <>
            <a
              href={
                showsHistory ? `/bug/${page.bug.id}` : `/bug/${page.bug.id}?history=1#discussion`
              }
            >
              {showsHistory ? 'Fold the changes' : 'Unfold the changes'}
            </a>
            <a href={historyAddress(page.bug.id, {})}>History</a>
          </>
        )}
        {firstNew && <a href="#new">What is new</a>}
      </div>
      {!startsWithDescription(page) && <Older page={page} request={request} />}
      {steps.map((step) => (
        <>
          {step === firstChanged && <Earlier page={page} place={earlier} />}
          {step === firstNew && (
            <p class="since" id="new">
              <span>
                New since your last visit, <Moment at={page.lastVisit} />
              </span>
            </p>
          )}
          {step.comment === undefined ? (
            <ChangeList page={page} entries={step.changes} isOpen={showsHistory} />
          ) : (
            <CommentArticle
              page={page}
              request={request}
              comment={step.comment}
              changes={step.changes}
              isOpen={showsHistory}
            />
          )}
          {step.comment?.count === 0 && startsWithDescription(page) && (
            <Older page={page} request={request} />
          )}
        </>
      ))}
      <Later page={page} />
    </section>
  )
}

/** Whether the description, which may be private, stands before the newest comments. */
function startsWithDescription({ comments, isNewest }: BugPage): boolean {
  return isNewest && comments.at(0)?.count === 0
}

/** Leads to the comments of a long discussion before those that are shown. */
function Older({ page, request }: { page: BugPage; request: PageRequest }) {
  const { bug, comments, isNewest, olderBefore } = page
  if (olderBefore === null) {
    return null
  }
  const left = (bug.comment_count ?? 0) - comments.length
  const first = comments.find(({ count = 0 }) => count >= Number(olderBefore))
  const query = new URLSearchParams({
    before: String(olderBefore),
    // among the newest changes are those of the older comments, unless there are more of them
    ...((page.history.earlier !== null || changesBefore(request) !== null) &&
      first?.creation_time !== undefined && { changes: first.creation_time }),
  })
  return (
    <p class="notice" id="older">
      {isNewest && left > 0 ? `${left} older comments are not shown. ` : ''}
      <a href={`/bug/${bug.id}?${query}#discussion`}>Show older comments</a>
    </p>
  )
}

/** Leads on from older comments: to the next ones, unless the page of the newest has them. */
function Later({ page: { bug, before } }: { page: BugPage }) {
  if (before === undefined) {
    return null
  }
  const next = before + MAX_COMMENTS
  return (
    <p class="notice bar">
      {next < (bug.comment_count ?? 0) && (
        <a href={`/bug/${bug.id}?before=${next}#discussion`}>Show later comments</a>
      )}
      <a href={`/bug/${bug.id}#discussion`}>Go to the newest comments</a>
    </p>
  )
}

function mergeChanges(
  comments: readonly Comment[],
  history: readonly HistoryEntry[],
): readonly Step[] {
  const steps: Step[] = []
  let left = history
  const addChanges = (changes: readonly HistoryEntry[]) => {
    const [first] = changes
    if (first !== undefined) {
      steps.push({ at: changes.at(-1)?.when ?? '', changes })
    }
  }
  for (const comment of comments) {
    const at = comment.creation_time ?? ''
    const isTogether = ({ when, who }: HistoryEntry) => when === at && who === comment.creator
    const before = left.filter((entry) => (entry.when ?? '') < at)
    addChanges(before)
    left = left.slice(before.length)
    const together = left.filter(isTogether)
    left = left.filter((entry) => !together.includes(entry))
    steps.push({ at, comment, changes: together })
  }
  addChanges(left)
  return steps
}

type CommentProps = {
  page: BugPage
  request: PageRequest
  comment: Comment
  changes: readonly HistoryEntry[]
  isOpen: boolean
}

function CommentArticle({ page, request, comment, changes, isOpen }: CommentProps) {
  const { count = 0, tags = [] } = comment
  const collapsed = commaList(request.ctx.settings.COLLAPSED_COMMENT_TAGS).map(fold)
  const isFolded = tags.some((tag) => collapsed.includes(fold(tag)))
  const body = (
    <>
      <div class="prose">{raw(comment.html ?? '')}</div>
      {isBeginning(comment.raw_text ?? '') && (
        <p class="muted">
          The comment goes on. <a href={linkWith(page, 'whole', count)}>Show it whole</a>
        </p>
      )}
      {changes.length > 0 && <ChangeList page={page} entries={changes} isOpen={isOpen} />}
    </>
  )
  return (
    <article class="comment" id={`c${count}`}>
      <CommentHead page={page} comment={comment} />
      {request.url.searchParams.get('mark') === String(count) && (
        <MarkForm page={page} request={request} comment={comment} />
      )}
      {isFolded ? (
        <details class="plain">
          <summary class="muted">Folded: {tags.join(', ')}</summary>
          {body}
        </details>
      ) : (
        body
      )}
    </article>
  )
}

/** The same comments with something more for one of them. */
function linkWith({ bug, before }: BugPage, what: 'whole' | 'mark', count: number): string {
  const page = before === undefined ? '' : `before=${before}&`
  return `/bug/${bug.id}?${page}${what}=${count}#c${count}`
}

function CommentHead({ page, comment }: { page: BugPage; comment: Comment }) {
  const { count = 0, tags = [], creator_detail: author } = comment
  const { id } = page.bug
  const may = (member: string) => maySend(page, member)
  return (
    <header>
      <a class="count" href={`#c${count}`}>
        #{count}
      </a>{' '}
      <strong>{author ? <PersonLink person={author} /> : comment.creator}</strong>{' '}
      <span class="muted">
        <Moment at={comment.creation_time} />
      </span>
      <PrivateMark isShown={comment.is_private} />
      {tags.map((tag) => (
        <>
          {' '}
          <span class="status done">{tag}</span>
        </>
      ))}
      {may('comment') && (
        <nav aria-label={`Comment ${count}`}>
          <a class="reply" href={`/bug/${id}?quote=${count}#comment`}>
            Reply
          </a>
          {(may('comment_tags') || may('comment_is_private')) && (
            <a href={linkWith(page, 'mark', count)}>Mark</a>
          )}
        </nav>
      )}
    </header>
  )
}

/** Tags and privacy of a comment. */
function MarkForm({ page, request, comment }: Pick<CommentProps, 'page' | 'request' | 'comment'>) {
  const may = (member: string) => maySend(page, member)
  const { form } = request
  const before = asTicked(comment.is_private)
  return (
    <Form request={request} class="row" action={`/bug/${page.bug.id}/comments/${comment.id}`}>
      <input type="hidden" name="count" value={String(comment.count)} />
      <input type="hidden" name="before" value={String(page.before ?? '')} />
      {may('comment_tags') && (
        <>
          <input type="hidden" name="had_tags" value={(comment.tags ?? []).join(' ')} />
          <input
            name="tags"
            value={request.form.get('tags')?.toString() ?? (comment.tags ?? []).join(' ')}
            aria-label="Tags of the comment"
          />
        </>
      )}
      {may('comment_is_private') && (
        <>
          <input type="hidden" name="was_private" value={before} />
          <Tick
            label="Private"
            name="private"
            value="1"
            checked={form.has('count') ? form.has('private') : before !== ''}
          />
        </>
      )}
      <button type="submit">Save</button>
    </Form>
  )
}

/** The value of a box with a tick, or of one without. */
function asTicked(isTicked = false): '1' | '' {
  return isTicked ? '1' : ''
}
