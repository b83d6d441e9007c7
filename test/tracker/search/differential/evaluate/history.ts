import type { FieldCondition } from '../../../../../src/tracker/search/expression.ts'
import type { WorldBug } from '../world.ts'
import { readDate } from './dates.ts'
import { peopleNamed } from './people.ts'
import type { Sight } from './sight.ts'
import { isSameText } from './texts.ts'

/** A change as operators on history see it; of comments and of the creation only time and author count. */
export type Change = {
  readonly at: number
  readonly author: number
  readonly removed: string | null
  readonly added: string | null
}

/** The names under which history has fields that a search knows by other names. */
const HISTORY_NAMES: Readonly<Record<string, string>> = {
  short_desc: 'summary',
  status_whiteboard: 'whiteboard',
  bug_file_loc: 'url',
  bug_type: 'type',
  bug_severity: 'severity',
  rep_platform: 'platform',
  bug_status: 'status',
  reporter_accessible: 'is_creator_accessible',
  cclist_accessible: 'is_cc_accessible',
  everconfirmed: 'is_confirmed',
  dup_id: 'dupe_of',
  dependson: 'depends_on',
  blocked: 'blocks',
  regresses: 'regressions',
  bug_group: 'groups',
  'keywords.count': 'keywords',
  'dependson.count': 'depends_on',
  'blocked.count': 'blocks',
  'regressed_by.count': 'regressed_by',
  'regresses.count': 'regressions',
}

/** The changes of a field that the reader sees. */
export function changesOf(field: string, bug: WorldBug, sight: Sight): Change[] {
  const bare = (at: number, author: number) => ({ at, author, removed: null, added: null })
  switch (field) {
    case 'creation_ts':
      return [bare(bug.createdAt, bug.reporter)]
    case 'longdesc':
    case 'longdescs.count':
      return sight.comments(bug).map(({ at, author }) => bare(at, author))
    case 'work_time':
      return sight
        .comments(bug)
        .filter(({ workTime }) => workTime !== 0)
        .map(({ at, author }) => bare(at, author))
    case 'anything':
      return sight.changes(bug)
    default:
      return sight.changes(bug).filter((change) => change.field === (HISTORY_NAMES[field] ?? field))
  }
}

/** The test of a change that an operator makes; null when its operand is invalid. */
export function testChange(
  { operator, values: [operand = ''] }: FieldCondition,
  bug: WorldBug,
  sight: Sight,
  now: number,
): ((change: Change) => boolean) | null {
  switch (operator) {
    case 'everchanged':
      return () => true
    case 'changedfrom':
      return ({ removed }) => removed !== null && isSameText(removed, operand)
    case 'changedto':
      return ({ added }) => added !== null && isSameText(added, operand)
    case 'changedby': {
      const people = peopleNamed(operand, bug, sight)
      return people && (({ author }) => people.has(author))
    }
    default: {
      const limit = readDate(operand, now)
      return limit === null
        ? null
        : ({ at }) => (operator === 'changedbefore' ? at <= limit : at >= limit)
    }
  }
}
