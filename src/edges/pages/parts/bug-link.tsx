type LinkedBug = {
  readonly id?: number | undefined
  readonly status?: string | undefined
  readonly resolution?: string | undefined
  readonly summary?: string | undefined
  readonly is_open?: boolean | undefined
}

/** The number of a bug, or `children`, as a link that tells of the bug; struck through when it is closed. */
export function BugLink({ bug, children }: { bug: LinkedBug; children?: unknown }) {
  const { id, summary } = bug
  const title = [statusOf(bug), summary].filter(Boolean).join(' ')
  return (
    <a
      href={`/bug/${id}`}
      {...(title !== '' && { title })}
      {...(bug.is_open === false && { class: 'closed' })}
    >
      {children ?? id}
    </a>
  )
}

/** The status of a bug, and how it was resolved. */
export function LinkedStatus({ bug }: { bug: LinkedBug }) {
  return <span class={bug.is_open === false ? 'status done' : 'status'}>{statusOf(bug)}</span>
}

function statusOf({ status = '', resolution = '' }: LinkedBug): string {
  return resolution === '' ? status : `${status} ${resolution}`
}
