import { type SQL, sql } from 'drizzle-orm'

/** How a search is ordered, and whether that is simply the newest bug first. */
export type Order = { readonly by: readonly SQL[]; readonly newestFirst: boolean }

type Direction = 'ASC' | 'DESC'

/** Columns that bugs may be ordered by, under their internal names. */
const COLUMNS: Readonly<Record<string, string>> = {
  bug_id: 'bugs.id',
  alias: 'bugs.alias_fold',
  short_desc: 'bugs.summary_fold',
  status_whiteboard: 'bugs.whiteboard_fold',
  bug_file_loc: 'bugs.url_fold',
  creation_ts: 'bugs.created_at',
  delta_ts: 'bugs.changed_at',
  bug_status: position('status_id'),
  resolution: position('resolution_id'),
  bug_type: position('type_id'),
  priority: position('priority_id'),
  bug_severity: position('severity_id'),
  rep_platform: position('platform_id'),
  op_sys: position('op_sys_id'),
  product: '(SELECT o.name_fold FROM products o WHERE o.id = bugs.product_id)',
  component: '(SELECT o.name_fold FROM components o WHERE o.id = bugs.component_id)',
  version: '(SELECT o.name_fold FROM versions o WHERE o.id = bugs.version_id)',
  target_milestone:
    "(SELECT printf('%06d', o.sort_key + 40000) || o.name_fold FROM milestones o WHERE o.id = bugs.milestone_id)",
  assigned_to: '(SELECT o.login_fold FROM users o WHERE o.id = bugs.assigned_to_id)',
  reporter: '(SELECT o.login_fold FROM users o WHERE o.id = bugs.reporter_id)',
  qa_contact: "coalesce((SELECT o.login_fold FROM users o WHERE o.id = bugs.qa_contact_id), '')",
}

/** Public names and old spellings. */
const SPELLINGS: Readonly<Record<string, string>> = {
  id: 'bug_id',
  summary: 'short_desc',
  short_short_desc: 'short_desc',
  whiteboard: 'status_whiteboard',
  url: 'bug_file_loc',
  creation_time: 'creation_ts',
  opendate: 'creation_ts',
  last_change_time: 'delta_ts',
  changeddate: 'delta_ts',
  status: 'bug_status',
  type: 'bug_type',
  severity: 'bug_severity',
  platform: 'rep_platform',
  creator: 'reporter',
  'map_assigned_to.login_name': 'assigned_to',
  'map_products.name': 'product',
}

const SHORTCUTS: Readonly<Record<string, string>> = {
  'bug number': 'bug_id',
  importance: 'priority,bug_severity',
  assignee: 'assigned_to,bug_status,priority,bug_id',
  'last updated': 'delta_ts DESC',
}

/**
 * Reads `order`: columns separated by commas, each perhaps with ASC or DESC. Unknown columns are dropped;
 * the bug ID is always the last, so that pages do not overlap.
 */
export function readOrder(given: readonly string[]): Order {
  const wanted = given
    .flatMap(expanded)
    .map(parsed)
    .flatMap(({ name, direction }) => {
      const column = COLUMNS[name]
      return column === undefined ? [] : [{ name, column, direction }]
    })
  const [first] = wanted
  const by = [...wanted, { column: 'bugs.id', direction: idDirection(wanted) }]
  return {
    by: by.map(({ column, direction }) => sql.raw(`${column} ${direction}`)),
    newestFirst: first?.name === 'bug_id' && first.direction === 'DESC',
  }
}

/** One index serves both when the time and the ID run the same way. */
function idDirection(wanted: { name: string; direction: Direction }[]): Direction {
  const [only, ...others] = wanted
  const isTime = only?.name === 'creation_ts' || only?.name === 'delta_ts'
  return isTime && others.length === 0 ? only.direction : 'ASC'
}

function expanded(given: string): string[] {
  const [, shortcut = '', direction = ''] = /^(.*?)(\s+(?:asc|desc))?$/i.exec(given.trim()) ?? []
  const columns = SHORTCUTS[shortcut.toLowerCase()]
  if (columns === undefined) {
    return given.split(',')
  }
  const [first = '', ...others] = columns.split(',')
  return [direction === '' ? first : `${first.split(' ')[0]}${direction}`, ...others]
}

function parsed(column: string): { name: string; direction: Direction } {
  const [name = '', direction = ''] = column.trim().toLowerCase().split(/\s+/)
  const plain = name.replace(/^bugs\./, '')
  return {
    name: SPELLINGS[plain] ?? plain,
    direction: direction === 'desc' ? 'DESC' : 'ASC',
  }
}

function position(column: string): string {
  return `(SELECT printf('%06d', o.sort_key) || o.name_fold FROM field_values o WHERE o.id = bugs.${column})`
}
