import type { SQL } from 'drizzle-orm'
import { compile } from '../../src/platform/db/compile.ts'

/** The columns of each table, by the names that they have in the database. */
type TableColumns = ReadonlyMap<string, ReadonlySet<string>>

/** Marks an interpolation. */
const HOLE = '¤'
const SOURCE = new RegExp(
  `\\b(?:FROM|JOIN|UPDATE|INTO)\\s+([a-z_]+|[([${HOLE}])(?:\\s+(?:AS\\s+)?([a-z]+)\\b)?`,
  'g',
)
const STATEMENT = /\b(?:SELECT|FROM|JOIN|WITH|UPDATE|INSERT|DELETE)\b/
const WORD = /(?<![\w.#])[a-z_]+\b(?!\s*\(|\.)/g

/**
 * The columns of tables that templates of raw SQL name as text. Names that only a subquery or a recursive
 * table gives are none; where a bare name could be one of those, it passes.
 */
export function findTextColumns(source: string, tables: TableColumns): string[] {
  const templates = sqlTemplates(source)
  const aliases = aliasesIn(templates, tables)
  const isColumn = (name: string) => [...tables.values()].some((columns) => columns.has(name))
  const found = templates.flatMap((template) => [
    ...writtenNames(template).filter(isColumn),
    ...qualifiedNames(template)
      .filter(
        ([alias, name]) =>
          aliases.get(alias)?.some((table) => tables.get(table)?.has(name)) ||
          (alias === 'excluded' && isColumn(name)),
      )
      .map((names) => names.join('.')),
    ...bareNames(template, tables, isColumn),
  ])
  return [...new Set([...found, ...rawNames(source, aliases, isColumn)])]
}

/**
 * Columns that `sql.raw` makes: those in its own text, and anything that it puts behind the name or alias of
 * a table, or first into a select from a table, where only a column can stand.
 */
function rawNames(
  source: string,
  aliases: ReadonlyMap<string, readonly string[]>,
  isColumn: (name: string) => boolean,
): string[] {
  const texts = [...source.matchAll(/\bsql\.raw\(\s*(['"`])(.*?)\1\s*\)/gs)]
    .map(([, , text = '']) => text)
    .map((text) => text.replace(/'[^']*'/g, ''))
  const inTexts = texts
    .flatMap((text) => [...text.matchAll(/\b([a-z_]+)\.([a-z_]+\b|\$\{[^}]*\})/g)])
    .filter(
      ([, alias = '', name = '']) => aliases.has(alias) && (name.startsWith('$') || isColumn(name)),
    )
  const bareTexts = texts.filter((text) => text.includes('_') && isColumn(text))
  const behindAlias = [
    ...source.matchAll(/(?<![\w.$])([a-z_]+)\.\$\{(?:sql\.)?raw\([^)]*\)/g),
  ].filter(([, alias = '']) => aliases.has(alias))
  const selected = [...source.matchAll(/\bSELECT \$\{sql\.raw\(\w+\)\} FROM ([a-z_]+)/g)].filter(
    ([, table = '']) => aliases.has(table),
  )
  return [...inTexts, ...behindAlias, ...selected].map(([found]) => found).concat(bareTexts)
}

/** The templates with the tag `sql`, also those within others; texts in quotes are masked. */
function sqlTemplates(source: string): string[] {
  return [...source.matchAll(/\bsql(?:<[^`]*?>)?`/g)].map(({ index, 0: tag }) =>
    templateAt(source, index + tag.length).text.replace(/'[^']*'|"[^"]*"/g, (text) =>
      '#'.repeat(text.length),
    ),
  )
}

/** The template whose text begins at `start`, and where the code goes on behind it. */
function templateAt(source: string, start: number): { text: string; end: number } {
  let text = ''
  let at = start
  while (at < source.length && source[at] !== '`') {
    if (source.startsWith('${', at)) {
      at = endOfHole(source, at + 2)
      text += HOLE
    } else {
      text += source[at]
      at += 1
    }
  }
  return { text, end: at + 1 }
}

function endOfHole(source: string, start: number): number {
  let depth = 1
  let at = start
  while (depth > 0 && at < source.length) {
    if (source[at] === '`') {
      at = templateAt(source, at + 1).end
    } else {
      depth += source[at] === '{' ? 1 : source[at] === '}' ? -1 : 0
      at += 1
    }
  }
  return at
}

/** The tables of each alias of a file; a table is an alias of itself. */
function aliasesIn(templates: readonly string[], tables: TableColumns): Map<string, string[]> {
  const aliases = new Map([...tables.keys()].map((table) => [table, [table]]))
  for (const [, table = '', alias = ''] of templates.flatMap((text) => [
    ...text.matchAll(SOURCE),
  ])) {
    if (tables.has(table) && alias !== '') {
      aliases.set(alias, [...(aliases.get(alias) ?? []), table])
    }
  }
  return aliases
}

/** The names in lists of INSERT, ON CONFLICT and RETURNING, and on the left of SET. */
function writtenNames(template: string): string[] {
  const lists = [
    ...template.matchAll(/\bINTO\s+\S+\s*\(([^()]*)\)/g),
    ...template.matchAll(/\bON CONFLICT\s*\(([^()]*)\)/g),
    ...template.matchAll(/\bRETURNING\s+([^()]*)$/g),
  ].flatMap(([, list = '']) => list.match(/[a-z_]+/g) ?? [])
  const [, sets = ''] = template.split(/\bSET\b/)
  return [...lists, ...(`,${sets}`.match(/(?<=,\s*)[a-z_]+(?=\s*=)/g) ?? [])]
}

function qualifiedNames(template: string): [alias: string, name: string][] {
  return [...template.matchAll(/(?<![\w.#])([a-z_]+)\.([a-z_]+)\b(?!\s*\()/g)].map(
    ([, alias = '', name = '']) => [alias, name],
  )
}

/** Bare names in a fragment, or where all that the innermost select reads from are tables. */
function bareNames(
  template: string,
  tables: TableColumns,
  isColumn: (name: string) => boolean,
): string[] {
  if (!STATEMENT.test(template)) {
    return wordsOf(template).filter(isColumn)
  }
  return scopesOf(template).flatMap((scope) => {
    const sources = [...scope.matchAll(SOURCE)].map(([, table = '']) => table)
    const isPlain = sources.length > 0 && sources.every((source) => tables.has(source))
    const own = wordsOf(scope.replace(SOURCE, ' '))
    return isPlain ? own.filter((word) => sources.some((each) => tables.get(each)?.has(word))) : []
  })
}

function wordsOf(text: string): string[] {
  return text.replace(/\bAS\s+\w+/g, '').match(WORD) ?? []
}

/** The text of each select; parentheses without a select belong to the one around them. */
function scopesOf(template: string): string[] {
  const scopes: string[] = []
  let rest = template
  for (let inner = rest; ; inner = rest) {
    rest = inner.replace(/\(([^()]*)\)/g, (_, content: string) => {
      if (STATEMENT.test(content)) {
        scopes.push(content)
        return '[#]'
      }
      return `[${content}]`
    })
    if (rest === inner) {
      break
    }
  }
  return [...scopes, rest].flatMap((scope) => scope.split(/\b(?:UNION(?: ALL)?|EXCEPT)\b/))
}

/** The names of the columns of a select of named expressions. */
export function columnNamesOf({ statement }: { readonly statement: SQL }): string[] {
  return [...compile(statement).sql.matchAll(/ AS "(\w+)"/g)].map(([, name = '']) => name)
}
