import { FIELD_CATALOGUE } from '../../src/tracker/fields/catalogue.ts'
import {
  kindOfOperator,
  needsValue,
  OPERATORS,
  type Operator,
} from '../../src/tracker/search/operators.ts'
import type { Random } from '../generator/random.ts'

/** Fields that only some may search by. */
const HOURS = /^(deadline|estimated_time|remaining_time|work_time|percentage_complete)$/
const FIELDS = Object.keys(FIELD_CATALOGUE)
const OPEN = FIELDS.filter((name) => !HOURS.test(name) && name !== 'longdescs.isprivate')
const COUNTED = OPEN.filter((name) => name.includes('count'))
const TEXTS = ['longdesc', 'short_desc', 'content', 'status_whiteboard', 'anything', 'see_also']

const ALL = Object.keys(OPERATORS) as Operator[]
const SPECIAL = ['fulltext', 'account', 'change']
const PLAIN = ALL.filter((operator) => !SPECIAL.includes(kindOfOperator(operator)))
const NEGATIVE = PLAIN.filter((operator) => /^(?:not|no)/.test(operator))
const ORDER = PLAIN.filter((operator) => kindOfOperator(operator) === 'order')
const CHANGES = ALL.filter((operator) => kindOfOperator(operator) === 'change')

/** Texts and beginnings of them that many bugs have, few, or none. */
const WORDS =
  `the, window, crash, menu, keyboard, print, dialog, e, zq, p3.s, S3, a*, wi*, e*, "the window", ing page, \
ion the, (the, -menu, 3, 0, 9, -1w, -3d, 2020-01-01, CONFIRMED, FIXED, General, ^[a-f], x+y|leak, %user%, \
p20.s1@example.test`.split(', ')
const ORDERS = [
  ...['', 'relevance', 'bug_id DESC', 'changeddate', 'changeddate DESC', 'opendate DESC'],
  ...['priority', 'short_desc', 'assigned_to', 'keywords', 'longdescs.count DESC'],
  FIELDS.slice(0, 30).join(','),
  FIELDS.toReversed().slice(0, 30).join(','),
]

/** A search has at most 300 words, and here at most five groups within each other. */
const [MOST_WORDS, MOST_OPEN] = [200, 5]

/**
 * A search that costs as much as somebody can think of: up to hundreds of criteria in groups, negations, counts,
 * history, beginnings of words, orders, offsets.
 */
export function drawSearch(r: Random): URLSearchParams {
  const search = new URLSearchParams({ j_top: r.pick(['AND', 'OR']), include_fields: 'id' })
  const rows = r.pick([1, 1, 2, 3, 5, 20, 100, 290])
  const one = r.chance(0.4) ? r.pick(OPEN) : undefined
  let open = 0
  let n = 0
  const end = () => {
    search.set(`f${n}`, 'CP')
    open -= 1
    n += 1
  }
  for (let row = 0; row < rows; row += 1) {
    if (r.chance(0.1) && open < MOST_OPEN) {
      search.set(`f${n}`, 'OP')
      search.set(`j${n}`, r.pick(['AND', 'OR', 'AND_G']))
      search.set(`n${n}`, r.pick(['0', '1']))
      open += 1
      n += 1
    }
    const field = one ?? drawField(r)
    const operator = drawOperator(r, field)
    search.set(`f${n}`, field)
    search.set(`o${n}`, operator)
    if (needsValue(operator)) {
      search.set(`v${n}`, drawValue(r, operator, Math.max(1, Math.min(10, MOST_WORDS / rows))))
    }
    if (r.chance(0.2)) {
      search.set(`n${n}`, '1')
    }
    n += 1
    if (open > 0 && r.chance(0.3)) {
      end()
    }
  }
  while (open > 0) {
    end()
  }
  drawParameters(r, search)
  return search
}

function drawField(r: Random): string {
  const kind = r.pickWeighted({ all: 2, counts: 1, texts: 1 })
  return r.pick({ all: OPEN, counts: COUNTED, texts: TEXTS }[kind])
}

function drawOperator(r: Random, field: string): Operator {
  switch (field) {
    case 'content':
      return r.pick(['matches', 'notmatches'])
    case 'owner_idle_time':
      return r.pick(ORDER)
    case 'anything':
      return r.pick(CHANGES)
    default:
      return r.pick(r.pick([PLAIN, NEGATIVE, COUNTED.includes(field) ? PLAIN : CHANGES]))
  }
}

function drawValue(r: Random, operator: Operator, most: number): string {
  const isList = ['words', 'fulltext', 'list'].includes(kindOfOperator(operator))
  const words = drawWords(r, isList ? 1 + r.below(most) : 1)
  return words.join(operator === 'anyexact' ? ',' : ' ')
}

function drawWords(r: Random, length: number): string[] {
  return Array.from({ length }, () => r.pick(WORDS))
}

/** What clients ask beside rows. */
function drawParameters(r: Random, search: URLSearchParams): void {
  if (r.chance(0.15)) {
    search.set('chfield', r.pick(['bug_status', '[Bug creation]', 'priority', 'assigned_to', 'cc']))
    search.set('chfieldfrom', r.pick(['-1d', '-3d', '-30d', '2015-01-01']))
    if (r.chance(0.4)) {
      search.set('chfieldvalue', r.pick(WORDS))
    }
  }
  if (r.chance(0.1)) {
    search.set('quicksearch', drawWords(r, 1 + r.below(6)).join(' '))
  }
  if (r.chance(0.1)) {
    search.set(r.pick(['last_change_time', 'creation_time']), r.pick(['2015-01-01', '2023-01-01']))
  }
  search.set('order', r.pick(ORDERS))
  if (r.chance(0.2)) {
    search.set('count_only', '1')
  } else {
    search.set('limit', r.pick(['1', '20', '1000', '0']))
    search.set('offset', r.pick(['0', '0', '500', '20000']))
    search.set('count_total', r.pick(['0', '0', '1']))
  }
}
