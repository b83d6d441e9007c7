import { GROUP_CONTROL } from '../../src/platform/db/schema/products.ts'
import { fold } from '../../src/platform/lib/text.ts'

export type Statement = { sql: string; params: (string | number | null)[] }

export type Cell = string | number | null

/** Rows of a table, each with a cell for every column that takes one. */
export type Rows = readonly [table: keyof typeof TABLES, rows: Iterable<readonly Cell[]>]

/**
 * The columns of each table. `login+` stands for a column and its folded form, which share one cell; `id=bug`
 * puts the cell into an expression.
 */
const TABLES = {
  users: 'id=person login+ real_name+ nick+ created_at',
  access_groups: 'id=security name+ description created_at',
  group_grants: 'member_group_id=admin granting_group_id=security kind',
  group_members: 'user_id=person group_id=group source=direct',
  products:
    'id=product classification_id=classification name+ description has_unconfirmed created_at',
  versions: 'id=version product_id=product name+ sort_key is_default',
  milestones: 'id=milestone product_id=product name+ sort_key is_default',
  components: `id=component product_id=product name+ description default_assignee_id=person
    default_qa_contact_id=person triage_owner_id=person`,
  group_controls: 'product_id=product group_id=security membercontrol=shown',
  keywords: 'id=keyword name+ description',
  flag_types: 'id=flag_type name description target=bugs',
  flag_type_scopes: 'flag_type_id=flag_type is_exclusion=no product_id=product',
  bugs: `id=bug alias+ summary+ product_id=product component_id=component version_id=version
    milestone_id=milestone status_id=bug_status resolution_id=resolution is_confirmed type_id=bug_type
    priority_id=priority severity_id=bug_severity platform_id=rep_platform op_sys_id=op_sys
    assigned_to_id=person reporter_id=person qa_contact_id=person dupe_of_id=bug url+ whiteboard+
    created_at changed_at`,
  attachments: `bug_id=bug submitter_id=person created_at changed_at file_name summary+ content_type
    size object_key sha256 is_private is_patch`,
  comments: `bug_id=bug number author_id=person created_at body is_private kind
    attachment_id=attachment related_bug_id=bug`,
  bug_cc: 'bug_id=bug user_id=person',
  bug_keywords: 'bug_id=bug keyword_id=keyword',
  bug_groups: 'bug_id=bug group_id=security',
  see_also: 'bug_id=bug url+',
  dependencies: 'bug_id=bug depends_on_id=bug',
  flags: `type_id=flag_type bug_id=bug status setter_id=person requestee_id=person created_at
    modified_at`,
  flag_activity: `flag_id=flag type_id=flag_type bug_id=bug status setter_id=person
    requestee_id=person happened_at`,
  history: 'bug_id=bug author_id=person changed_at field removed+=value added+=value',
} as const

/** What stands for a cell `#`; without a `#` the column takes no cell. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  security: 'base.security',
  flag_type: 'base.flag_type',
  admin: `(SELECT id FROM access_groups WHERE role = 'admin')`,
  group: '(SELECT id FROM access_groups WHERE coalesce(role, name_fold) = #)',
  classification: '(SELECT min(id) FROM classifications)',
  attachment: '(SELECT id FROM attachments WHERE object_key = #)',
  flag: '(SELECT id FROM flags WHERE bug_id = base.bug + #)',
  // a number is the index of a bug, whose ID only the database knows
  value: `iif(typeof(#) = 'integer', CAST(base.bug + # AS TEXT), #)`,
  direct: `'direct'`,
  bugs: `'bug'`,
  no: '0',
  // members may choose the group, nobody else may
  shown: String(GROUP_CONTROL.SHOWN),
}

/** What has consecutive IDs, so that a cell counts from the first one. */
const COUNTED = ['person', 'product', 'component', 'version', 'milestone', 'keyword', 'bug']

/** Other names are those of fields, whose values are looked up. */
function findExpression(name: string): string {
  const value = `(SELECT id FROM field_values WHERE field_id = (SELECT id FROM fields WHERE name = '${name}') AND name_fold = #)`
  return COUNTED.includes(name) ? `base.${name} + #` : (EXPRESSIONS[name] ?? value)
}

/**
 * The first IDs that this tracker has, or is about to take, in the tables that others refer to. Each is
 * found by a name that only this seed uses, so other content of the database does not matter.
 */
const BASE = `(SELECT
  ${firstIdSql('users', `login_fold = 'p0.s' || ?2 || '@example.test'`)} AS person,
  ${firstIdSql('access_groups', `name_fold = 'security-s' || ?2`)} AS security,
  ${firstIdSql('products', `name_fold = 'constant ' || ?2`)} AS product,
  ${firstIdSql('components', inFirstProductSql())} AS component,
  ${firstIdSql('versions', inFirstProductSql())} AS version,
  ${firstIdSql('milestones', inFirstProductSql())} AS milestone,
  ${firstIdSql('keywords', `name_fold = 'crash-s' || ?2`)} AS keyword,
  ${firstIdSql('flag_types', `name = 'needinfo-s' || ?2`)} AS flag_type,
  ${firstIdSql('bugs', `alias_fold = 'first-s' || ?2`)} AS bug
) AS base`

const MAX_ROWS = 2000
const MAX_CHARACTERS = 400_000

/** The statements that insert the rows in their order; each carries at most a few hundred KB. */
export function* insertRows([table, rows]: Rows, seed: number): Generator<Statement> {
  const columns = listColumns(TABLES[table])
  const sql = insertSql(table, columns)
  const takers = columns.filter(({ expression }) => expression.includes('#'))
  const describe = (texts: string[]) => ({ sql, params: [`[${texts.join()}]`, String(seed)] })
  let pending: string[] = []
  let size = 0
  for (const row of rows) {
    const cells = row[Symbol.iterator]()
    let cell: Cell = null
    const text = JSON.stringify(
      takers.map(({ isFolded }) => {
        cell = isFolded ? cell : (cells.next().value ?? null)
        return isFolded && typeof cell === 'string' ? fold(cell) : cell
      }),
    )
    if (pending.length === MAX_ROWS || size + text.length > MAX_CHARACTERS) {
      yield describe(pending)
      pending = []
      size = 0
    }
    pending.push(text)
    size += text.length + 1
  }
  if (pending.length > 0) {
    yield describe(pending)
  }
}

type Column = { name: string; expression: string; isFolded: boolean }

function listColumns(text: string): Column[] {
  return text.split(/\s+/).flatMap((word) => {
    const [left = '', key] = word.split('=')
    const name = left.replace('+', '')
    const expression = key === undefined ? '#' : findExpression(key)
    const column = { name, expression, isFolded: false }
    return name === left ? [column] : [column, { ...column, name: `${name}_fold`, isFolded: true }]
  })
}

function insertSql(table: string, columns: readonly Column[]): string {
  let cells = 0
  const expressions = columns.map(({ expression }) => {
    const cell = `(r.value ->> ${cells})`
    cells += expression.includes('#') ? 1 : 0
    return expression.replaceAll('#', cell)
  })
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
SELECT ${expressions.join(',\n  ')}
FROM json_each(?1) AS r, ${BASE}`
}

function firstIdSql(table: string, condition: string): string {
  return `coalesce((SELECT min(id) FROM ${table} WHERE ${condition}), (SELECT coalesce(max(id), 0) + 1 FROM ${table}))`
}

function inFirstProductSql(): string {
  return `product_id = (SELECT id FROM products WHERE name_fold = 'constant ' || ?2)`
}
