import type { Child, PropsWithChildren } from 'hono/jsx'
import type { PageRequest } from '../page.ts'
import { BugLink } from '../parts/bug-link.tsx'
import type { BugPage } from './load.ts'

/** What is known under a label; nothing where it is empty. */
export type Fact = readonly [label: string, content: Child]

/** Links of a kind that a page shows. */
export const MAX_LINKS = 200
/** Links that it shows unfolded. */
const FEW = 20

/** The bugs and addresses that a bug leads to. Of many the first are shown, and where all of them are. */
export function relationFacts({ bug, linked }: BugPage, { ctx, url }: PageRequest): Fact[] {
  const { depends_on, blocks, regressed_by, regressions, dupe_of: original } = bug
  const { duplicates = [], see_also: links = [] } = bug
  // those of a list are found by the other end of their link
  const bugs = (ids: readonly number[], field: string) => (
    <Links
      count={ids.length}
      what="bugs"
      all={`/bugs?${new URLSearchParams({ f1: field, o1: 'equals', v1: String(bug.id) })}`}
    >
      <Bugs ids={ids.slice(0, MAX_LINKS)} linked={linked} />
    </Links>
  )
  const list = (label: string, ids: readonly number[] | undefined, field: string): Fact => [
    label,
    ids?.length ? bugs(ids, field) : null,
  ]
  const isInGraph = [depends_on, blocks].some((ids) => ids?.length)
  const isWhole = url.searchParams.get('see_also') === 'all'
  return [
    list('Duplicate of', original ? [original] : [], 'duplicates'),
    list('Depends on', depends_on, 'blocked'),
    list('Blocks', blocks, 'dependson'),
    ['', isInGraph ? <a href={`/bug/${bug.id}/graph`}>Dependency graph</a> : null],
    list('Regressed by', regressed_by, 'regresses'),
    list('Regressions', regressions, 'regressed_by'),
    [
      'Duplicates',
      duplicates.length === 0 ? null : <div id="duplicates">{bugs(duplicates, 'dup_id')}</div>,
    ],
    [
      'See also',
      links.length === 0 ? null : (
        <div id="see-also">
          <Links
            count={links.length}
            what="links"
            all={isWhole ? null : `/bug/${bug.id}?see_also=all#see-also`}
          >
            <SeeAlso links={isWhole ? links : links.slice(0, MAX_LINKS)} origin={ctx.baseUrl} />
          </Links>
        </div>
      ),
    ],
  ]
}

type LinksProps = PropsWithChildren<{
  readonly count: number
  readonly what: string
  readonly few?: number
  /** Where all of them are; null where they are shown. */
  readonly all: string | null
}>

/** A list, which is folded unless it is short, and where the whole of a long one is. */
export function Links({ count, what, few = FEW, all, children }: LinksProps) {
  const number = count.toLocaleString('en')
  return count <= few ? (
    children
  ) : (
    <details class="plain" open={all === null}>
      <summary>
        {number} {what}
      </summary>
      {children}
      {count > MAX_LINKS && all !== null && <a href={all}>Show all {number}</a>}
    </details>
  )
}

type BugsProps = {
  readonly ids: readonly number[]
  readonly linked: BugPage['linked']
}

/** Bugs with states and summaries as far as these were read. */
function Bugs({ ids, linked }: BugsProps) {
  return (
    <ul class="plain">
      {ids.map((id) => {
        const { summary, ...bug } = linked.get(id) ?? { id }
        return (
          <li>
            <BugLink bug={{ ...bug, summary }} /> <span class="muted">{summary}</span>
          </li>
        )
      })}
    </ul>
  )
}

function SeeAlso({ links, origin }: { links: readonly string[]; origin: string }) {
  return (
    <ul class="plain">
      {links.map((link) => (
        <li>
          {link.startsWith(`${origin}/bug/`) ? (
            <a href={link.slice(origin.length)}>Bug {link.slice(`${origin}/bug/`.length)}</a>
          ) : (
            <OutsideLink address={link} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** An address that somebody typed; a link only where a browser does not run it. */
export function OutsideLink({ address }: { address: string | undefined }) {
  const text = address ?? ''
  if (!/^(?:https?|ftps?|mailto):/i.test(text)) {
    return text === '' ? null : <span>{text}</span>
  }
  return (
    <a href={text} rel="nofollow noreferrer">
      {text.replace(/^https?:\/\//i, '')}
    </a>
  )
}
