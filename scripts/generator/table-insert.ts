export type Statement = { sql: string; params: (string | number | null)[] }

export type Cell = string | number | null

/**
 * Rows for a table. A column `[name]` takes the next cell of the row unchanged; a column `[name, sql]`
 * puts that cell in place of `#`, and takes no cell when its SQL has no `#`.
 */
export type TableInsert = {
  table: string
  columns: readonly (readonly [name: string, sql?: string])[]
  rows: Iterable<readonly Cell[]>
}

const MAX_ROWS = 2000
const MAX_CHARACTERS = 400_000

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

/** The statements that insert the rows in their order; each carries at most a few hundred KB. */
export function* insertStatements(insert: TableInsert, seed: number): Generator<Statement> {
  const sql = insertSql(insert)
  let pending: string[] = []
  let size = 0
  for (const row of insert.rows) {
    const text = JSON.stringify(row)
    if (pending.length === MAX_ROWS || size + text.length > MAX_CHARACTERS) {
      yield { sql, params: [`[${pending.join(',')}]`, String(seed)] }
      pending = []
      size = 0
    }
    pending.push(text)
    size += text.length + 1
  }
  if (pending.length > 0) {
    yield { sql, params: [`[${pending.join(',')}]`, String(seed)] }
  }
}

function insertSql({ table, columns }: TableInsert): string {
  let cells = 0
  const expressions = columns.map(([, sql = '#']) => {
    const cell = `(r.value ->> ${cells})`
    cells += sql.includes('#') ? 1 : 0
    return sql.replaceAll('#', cell)
  })
  const names = columns.map(([name]) => name)
  return `INSERT INTO ${table} (${names.join(', ')})
SELECT ${expressions.join(',\n  ')}
FROM json_each(?1) AS r, ${BASE}`
}

function firstIdSql(table: string, condition: string): string {
  return `coalesce((SELECT min(id) FROM ${table} WHERE ${condition}), (SELECT coalesce(max(id), 0) + 1 FROM ${table}))`
}

function inFirstProductSql(): string {
  return `product_id = (SELECT id FROM products WHERE name_fold = 'constant ' || ?2)`
}
