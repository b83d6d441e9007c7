export type Step = { sql: string; params: (string | number | null)[] }

export type Cell = string | number | null

/**
 * Rows for a table. A column is `[name]`, which takes the next cell of the row as it is, or
 * `[name, sql]`, which puts that cell where `#` stands; without a `#` it takes none.
 */
export type Load = {
  table: string
  columns: readonly (readonly [name: string, sql?: string])[]
  rows: Iterable<readonly Cell[]>
}

const MOST_ROWS = 2000
const MOST_CHARACTERS = 400_000

/**
 * Where the rows of this tracker begin, or would begin, in the tables whose IDs others refer to. Each
 * is found by a name that only this seed has, so that nothing depends on what else is in the database.
 */
const BASE = `(SELECT
  ${begins('users', `login_fold = 'p0.s' || ?2 || '@example.test'`)} AS person,
  ${begins('access_groups', `name_fold = 'security-s' || ?2`)} AS security,
  ${begins('products', `name_fold = 'constant ' || ?2`)} AS product,
  ${begins('components', ofFirstProduct())} AS component,
  ${begins('versions', ofFirstProduct())} AS version,
  ${begins('milestones', ofFirstProduct())} AS milestone,
  ${begins('keywords', `name_fold = 'crash-s' || ?2`)} AS keyword,
  ${begins('flag_types', `name = 'needinfo-s' || ?2`)} AS flag_type,
  ${begins('bugs', `alias_fold = 'first-s' || ?2`)} AS bug
) AS base`

/** The statements that insert the rows, in their order; a statement carries a few hundred KB at most. */
export function* steps(load: Load, seed: number): Generator<Step> {
  const sql = insertion(load)
  let waiting: string[] = []
  let size = 0
  for (const row of load.rows) {
    const text = JSON.stringify(row)
    if (waiting.length === MOST_ROWS || size + text.length > MOST_CHARACTERS) {
      yield { sql, params: [`[${waiting.join(',')}]`, String(seed)] }
      waiting = []
      size = 0
    }
    waiting.push(text)
    size += text.length + 1
  }
  if (waiting.length > 0) {
    yield { sql, params: [`[${waiting.join(',')}]`, String(seed)] }
  }
}

function insertion({ table, columns }: Load): string {
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

function begins(table: string, condition: string): string {
  return `coalesce((SELECT min(id) FROM ${table} WHERE ${condition}), (SELECT coalesce(max(id), 0) + 1 FROM ${table}))`
}

function ofFirstProduct(): string {
  return `product_id = (SELECT id FROM products WHERE name_fold = 'constant ' || ?2)`
}
