import type { Child } from 'hono/jsx'
import { BugLink } from '../parts/bug-link.tsx'
import { Moment } from '../parts/moment.tsx'
import { PersonLink } from '../parts/person.tsx'
import { labelOf } from './labels.ts'
import type { Bug, BugPage, Flag } from './load.ts'
import { Who } from './people.tsx'

type Fact = readonly [label: string, content: Child]

/** What is known of a bug, beside its discussion. Nothing stands for what is empty. */
export function Facts({ page, origin }: { page: BugPage; origin: string }) {
  const { bug } = page
  const text = (name: keyof Bug & string): Fact => [
    labelOf(name),
    bug[name] && bug[name] !== '---' ? String(bug[name]) : null,
  ]
  return (
    <aside class="facts" aria-label="Facts">
      <Group facts={people(page)} />
      <Group
        facts={[
          [
            'Product',
            <a href={`/bugs?product=${encodeURIComponent(bug.product ?? '')}`}>{bug.product}</a>,
          ],
          text('component'),
          text('version'),
          text('target_milestone'),
          ['System', systemOf(bug)],
        ]}
      />
      <Group
        facts={[['Flags', bug.flags?.length ? <Flags page={page} flags={bug.flags} /> : null]]}
      />
      <Group facts={relations(page, origin)} />
      <Group
        facts={[
          ['Keywords', (bug.keywords ?? []).join(', ')],
          text('whiteboard'),
          ['URL', <OutsideLink address={bug.url} />],
          ['Deadline', bug.deadline],
          ...hours(bug),
          ['Groups', (bug.groups ?? []).join(', ')],
          ['My tags', (bug.tags ?? []).join(', ')],
        ]}
      />
      <Group facts={customFacts(page)} />
    </aside>
  )
}

/** What is not known of the system is not worth a line. */
function systemOf({ platform = '', op_sys: system = '' }: Bug): string {
  return [...new Set([platform, system])]
    .filter((one) => !['', 'Unspecified', 'Other', 'All'].includes(one))
    .join(' · ')
}

function Group({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, content]) => content !== null && content !== '' && content)
  return known.length === 0 ? null : (
    <dl>
      {known.map(([label, content]) => (
        <div>
          <dt>{label}</dt>
          <dd>{content}</dd>
        </div>
      ))}
    </dl>
  )
}

function people({ bug }: BugPage): Fact[] {
  const one = (label: string, person: Bug['creator_detail']): Fact => [
    label,
    person === undefined ? null : <PersonLink person={person} />,
  ]
  const cc = bug.cc_detail ?? []
  return [
    one('Assignee', bug.assigned_to_detail),
    one('Reporter', bug.creator_detail),
    one('QA contact', bug.qa_contact_detail),
    one('Triage owner', bug.triage_owner_detail),
    [
      'CC',
      cc.length === 0 ? null : cc.length > 5 ? <Folded people={cc} /> : <People people={cc} />,
    ],
  ]
}

type Detail = NonNullable<Bug['cc_detail']>[number]

function Folded({ people }: { people: Detail[] }) {
  return (
    <details class="plain">
      <summary>{people.length} people</summary>
      <People people={people} />
    </details>
  )
}

function People({ people }: { people: Detail[] }) {
  return (
    <>
      {people.map((person, n) => (
        <>
          {n > 0 && ', '}
          <PersonLink person={person} />
        </>
      ))}
    </>
  )
}

/** Flags with who set them, and who is asked. */
export function Flags({ page, flags }: { page: BugPage; flags: readonly Flag[] }) {
  return (
    <ul class="plain">
      {flags.map(({ name, status, setter, requestee }) => (
        <li>
          <strong>
            {name}
            {status}
          </strong>{' '}
          <span class="muted">
            {requestee !== undefined && (
              <>
                asked of <Who page={page} login={requestee} />{' '}
              </>
            )}
            by <Who page={page} login={setter} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function relations({ bug, linked }: BugPage, origin: string): Fact[] {
  const list = (label: string, ids: readonly number[] | undefined): Fact => [
    label,
    ids?.length ? <Bugs ids={ids} linked={linked} /> : null,
  ]
  const { depends_on, blocks, regressed_by, regressions, duplicates = [] } = bug
  const isInGraph = [depends_on, blocks].some((ids) => ids?.length)
  return [
    list('Duplicate of', bug.dupe_of ? [bug.dupe_of] : []),
    list('Depends on', depends_on),
    list('Blocks', blocks),
    ['', isInGraph ? <a href={`/bug/${bug.id}/graph`}>Dependency graph</a> : null],
    list('Regressed by', regressed_by),
    list('Regressions', regressions),
    [
      'Duplicates',
      duplicates.length === 0 ? null : (
        <div id="duplicates">
          <Bugs ids={duplicates} linked={linked} />
        </div>
      ),
    ],
    ['See also', bug.see_also?.length ? <SeeAlso links={bug.see_also} origin={origin} /> : null],
  ]
}

/** Bugs with states and summaries as far as these were read. */
function Bugs({ ids, linked }: { ids: readonly number[]; linked: BugPage['linked'] }) {
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
function OutsideLink({ address }: { address: string | undefined }) {
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

function hours(bug: Bug): Fact[] {
  const { estimated_time: estimated, actual_time: worked, remaining_time: remaining } = bug
  return estimated === undefined || !(estimated || worked || remaining)
    ? []
    : [['Hours', `${worked} of ${estimated} worked, ${remaining} remain`]]
}

/** Custom fields with a value, and those that the page shows now although they are empty to nobody. */
function customFacts({ bug, fields }: BugPage): Fact[] {
  return fields.flatMap(({ name = '', type, display_name: label = name }): Fact[] => {
    const value = bug[name]
    if (Array.isArray(value)) {
      return [[label, value.join(', ')]]
    }
    const text = value === null || value === undefined || value === '---' ? '' : String(value)
    if (text === '') {
      return []
    }
    switch (type) {
      case CUSTOM_BUG:
        return [[label, <BugLink bug={{ id: Number(text) }} />]]
      case CUSTOM_MOMENT:
        return [[label, <Moment at={text} />]]
      case CUSTOM_DAY:
        return [[label, text.slice(0, 10)]]
      case CUSTOM_TEXT:
        return [[label, <div class="written">{text}</div>]]
      default:
        return [[label, text]]
    }
  })
}

/** The numbers of the types of custom fields, as `docs/reference/fields.md` has them. */
export const CUSTOM_TEXT = 4
export const CUSTOM_MOMENT = 5
export const CUSTOM_BUG = 6
export const CUSTOM_DAY = 9
