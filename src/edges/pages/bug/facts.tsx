import type { PageRequest } from '../page.ts'
import { BugLink } from '../parts/bug-link.tsx'
import { labelOf } from '../parts/labels.ts'
import { Moment } from '../parts/moment.tsx'
import { PersonLink } from '../parts/person.tsx'
import type { Bug, BugPage, Flag } from './load.ts'
import { Who } from './people.tsx'
import { type Fact, Links, MAX_LINKS, OutsideLink, relationFacts } from './relations.tsx'

/** What is known of a bug, beside its discussion. Nothing stands for what is empty. */
export function Facts({ page, request }: { page: BugPage; request: PageRequest }) {
  const { bug } = page
  const text = (name: keyof Bug & string): Fact => [
    labelOf(name),
    bug[name] && bug[name] !== '---' ? String(bug[name]) : null,
  ]
  return (
    <aside class="facts" aria-label="Facts">
      <Group facts={people(page, request)} />
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
      <Group facts={relationFacts(page, request)} />
      <Group
        facts={[
          ['Keywords', (bug.keywords ?? []).join(', ')],
          text('whiteboard'),
          ['URL', bug.url ? <OutsideLink address={bug.url} /> : null],
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

function people({ bug }: BugPage, { url }: PageRequest): Fact[] {
  const one = (label: string, person: Bug['creator_detail']): Fact => [
    label,
    person === undefined ? null : <PersonLink person={person} />,
  ]
  const cc = bug.cc_detail ?? []
  const isWhole = url.searchParams.get('cc') === 'all'
  return [
    one('Assignee', bug.assigned_to_detail),
    one('Reporter', bug.creator_detail),
    one('QA contact', bug.qa_contact_detail),
    one('Triage owner', bug.triage_owner_detail),
    [
      'CC',
      cc.length === 0 ? null : (
        <div id="cc">
          <Links
            count={cc.length}
            what="people"
            few={FEW_PEOPLE}
            all={isWhole ? null : `/bug/${bug.id}?cc=all#cc`}
          >
            <People people={cc.slice(0, isWhole ? MAX_PEOPLE : MAX_LINKS)} />
            {isWhole && cc.length > MAX_PEOPLE && <Unlisted bug={bug} />}
          </Links>
        </div>
      ),
    ],
  ]
}

/** People on CC that are shown unfolded. */
const FEW_PEOPLE = 5

/** People on CC of the page that shows them all. */
const MAX_PEOPLE = 5_000

function Unlisted({ bug: { id, cc = [] } }: { bug: Bug }) {
  const count = (cc.length - MAX_PEOPLE).toLocaleString('en')
  return (
    <p class="muted">
      {count} more are not shown:{' '}
      <a href={`/rest/bug/${id}?include_fields=cc`}>all of them by the API</a>.
    </p>
  )
}

type Detail = NonNullable<Bug['cc_detail']>[number]

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
