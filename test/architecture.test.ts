/// <reference types="vite/types/importMeta.d.ts" />
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { operations } from '../src/app.ts'
import { readOperations, readSection } from './reference/page.ts'
import { pages } from './reference/pages.ts'
import { findPrivacyRules, findUnguardedTexts } from './support/privacy-rules.ts'
import { code, sources, testPaths } from './support/sources.ts'
import { findTextColumns } from './support/sql-columns.ts'

/** The lines of code outside of `allowed` that match a pattern, as `path: text`. */
function uses(pattern: RegExp, allowed: RegExp = /^$/): string[] {
  return Object.entries(code)
    .filter(([path]) => !allowed.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(new RegExp(pattern, 'gs'))].map(([found]) => `${path}: ${found}`),
    )
}

test('the rules below look at the whole source', () => {
  expect(Object.keys(sources)).toEqual(
    expect.arrayContaining([
      'src/app.ts',
      'src/platform/db/session.ts',
      'src/platform/db/schema/users.ts',
    ]),
  )
  expect(testPaths).toContain('test/architecture.test.ts')
})

test('no answer is piped through a transformation, which would not end when its client is gone', () => {
  expect(uses(/new TransformStream\b|\bText(?:De|En)coderStream\b/)).toEqual([])
})

describe('D1 is reached', () => {
  test('without patterns that it refuses when they are long', () => {
    // it counts the bytes of its patterns
    const bounded = /^src\/tracker\/search\/compile\/whole-word\.ts$/
    expect(uses(/`[^`]*\b(?:LIKE|GLOB|REGEXP)\b/, bounded)).toEqual([])
    expect(uses(/\b(?:not)?i?like\(|\b(?:notLike|notIlike)\b/i)).toEqual([])
  })

  test('through one session', () => {
    expect(uses(/\.batch\(/, /^src\/platform\/db\/session\.ts$/)).toEqual([])
    expect(uses(/\.withSession\(/, /^src\/platform\/db\/session\.ts$/)).toEqual([])
    expect(uses(/\.prepare\(/, /^src\/platform\/db\//)).toEqual([])
    expect(uses(/(?<!openSession\((?:\w+\.)*)\b\w+\.DB\b/)).toEqual([])
  })

  test('without transactions of the query builder, which D1 does not have', () => {
    expect(uses(/\.transaction\(/)).toEqual([])
  })

  test('by reads and writes that travel together, never by a query of its own', () => {
    expect(uses(/await\s+(?:db|tx)\s*\./)).toEqual([])
    expect(uses(/\.(?:execute|findFirst|findMany)\(/)).toEqual([])
  })
})

test('SQL is put together by the tag that takes no time', () => {
  const slow = /import \{[^}]*\bsql\b[^}]*\} from 'drizzle-orm'/
  expect(uses(slow, /^src\/platform\/db\/(?:schema\/|sql\.ts$)/)).toEqual([])
})

describe('the query builder', () => {
  test('is known from the inside by one file, which has a test against each of its versions', () => {
    const internals = /^src\/platform\/db\/drizzle-internals\.ts$/
    const members =
      /\bqueryChunks\b|\bselectedFields\b|\bmapResult\b|\bfieldAlias\b|\bmap(?:To|From)DriverValue\b|\bSQL\.Aliased\b|\binstanceof SQL\b|\.shouldInlineParams\b/
    const imported =
      /import [^;']*\b(?:StringChunk|Param|Placeholder|Name|Column|Table|noopDecoder|getTableColumns|SQLiteSyncDialect)\b[^;']*from 'drizzle-orm[^']*'/
    expect(uses(members, internals)).toEqual([])
    expect(uses(imported, internals)).toEqual([])
  })

  test('is gone around on hot paths alone, where its own way costs more than D1 does', () => {
    const hot = /\b(?:selectOf|jsonSelect|preparedFragments?)(?:<[^>]*>)?\(/
    expect(uses(hot, /^src\/(?:platform\/(?:db|access)|tracker\/(?:search|bugs))\//)).toEqual([])
  })
})

describe('who may know of private comments, private attachments and hours', () => {
  /** Files that ask for roles or privacy by name and decide nothing about who sees what. */
  const named = [
    'src/edges/server/parameters.ts', // the names of the groups
    'src/edges/webhooks/delivery/payload.ts', // messages about private things are short for everybody
    'src/tracker/bugs/change/comment-privacy.ts', // compares what is with what is to be
    'src/tracker/search/search-fields.ts', // a field says whether it is for insiders
    'src/tracker/search/compile/fields/discussion.ts', // only insiders search by privacy itself
  ]
  test('is decided in platform/access/ alone', () => {
    const allowed = new RegExp(`^src/platform/(?:access|db/schema)/|^(?:${named.join('|')})$`)
    const found = Object.entries(code)
      .filter(([path]) => !allowed.test(path))
      .flatMap(([path, text]) => findPrivacyRules(text).map((line) => `${path}: ${line}`))
    expect(found).toEqual([])
  })

  test.each([
    'sql`¤{comments.isPrivate} = 0`',
    'sql`AND (a.b = 1 OR ¤{a.isPrivate} <> 1)`',
    'sql`NOT ¤{attachments.isPrivate}`',
    'eq(comments.isPrivate, false)',
    'sql`happened.is_private = 0`',
    "caller.roles.has('insider')",
    "hasRole(caller, 'timetracking')",
    "sql`¤{g.role} = 'insider'`",
    'if (isInsider(person)) {',
    'context.isPrivate && !person.isInsider',
    'comments.filter(({ isPrivate }) => !isPrivate)',
    'if (comment.isPrivate) {',
    'comments.filter((comment) => comment.isPrivate === false)',
    'return row.is_private ? [] : [row]',
    "sql`¤{h.field} NOT IN ('estimated_time', 'work_time')`",
    "sql`¤{h.field} <> 'longdescs.isprivate'`",
    'sql`CASE WHEN ¤{comments.isPrivate} THEN 1 END`',
    'sql`AND (¤{a.isPrivate} OR ¤{a.isPatch})`',
    'sql`0 = ¤{a.isPrivate}`',
    'sql`¤{a.isPrivate}\n = 0`',
    'sql`¤{a.isPrivate} IN (0)`',
    'sql`sum(¤{a.isPrivate})`',
    'return row.isPrivate\n  ? null\n  : row',
    'const { isPrivate: hidden } = row',
    'rows.filter(({ isPrivate: hidden }) => hidden)',
    'const hidden = row.isPrivate',
    'rows.filter((row) =>\n  row.isPrivate)',
    "row['isPrivate'] ? 1 : 2",
    'Boolean(row.isPrivate)',
    'switch (row.isPrivate) {',
    'if (isOpen && (row.isPrivate)) {',
    'return { isPrivate: row.isPrivate !== isKnown }',
    'caller.roles.has("insider")',
    'const { isInsider } = caller',
    "sql`¤{h.field} = 'work_time'`",
    "const key = 'isPrivate'\nrows.filter((row) => !row[key])",
    'switch (true) {\n  case row.isPrivate:',
    'inArray(comments.isPrivate, [false])',
    'sql`¤{columnName(comments.isPrivate)} = 0`',
    "rows.filter(({ field }) => field !== 'longdescs.isprivate')",
    "'work_time' === field ? [] : [row]",
    'const { insider } = rolesOf(caller)',
  ])('is recognized: %s', (text) => {
    expect(findPrivacyRules(text.replaceAll('¤', '$'))).not.toEqual([])
  })

  test.each([
    'sql`SELECT ¤{a.id}, ¤{a.isPrivate} FROM attachments a`',
    'sql`UPDATE comments SET ¤{columnName(comments.isPrivate)} = ¤{1}`',
    'maySetPrivacy(person, before.isPrivate, after.isPrivate)',
    'const isPrivate = input.is_private ?? false',
    "field: 'longdescs.isprivate'",
    'return { is_private: row.isPrivate, isPrivate }',
    'const isPrivate = input.is_private ?? input.private ?? false\n',
    "pick(attachments, 'summary', 'isPrivate')",
    'function decide(body: { isPrivate: boolean }): Comment {',
    'sql`SELECT ¤{body}, t.is_private, 1 FROM t`',
  ])('is not seen in %s', (text) => {
    expect(findPrivacyRules(text.replaceAll('¤', '$'))).toEqual([])
  })
})

describe('the text of a comment is read', () => {
  /** Files that look at it and hand nothing of it on. */
  const looking = [
    'src/tracker/comments/chunks.ts', // lengths and beginnings, below the condition of the list
    'src/tracker/search/index-upkeep.ts', // writes the index of words
    'src/tracker/search/compile/comment-words.ts', // part of a condition on comments that are seen
  ]
  test('with its privacy, or below a condition on who sees it', () => {
    const found = Object.entries(code)
      .filter(([path]) => !path.startsWith('src/platform/') && !looking.includes(path))
      .flatMap(([path, text]) => findUnguardedTexts(text).map((part) => `${path}: ${part}`))
    expect(found).toEqual([])
  })

  test.each([
    'function select() {\n  return db.select({ text: comments.body }).from(comments)\n}',
    "const COLUMNS = pick(comments, 'id', 'body')",
    "const c = aliasColumns(comments, 'c')\nconst text = sql`SELECT ¤{c.body} FROM comments c`",
    'const { id, body } = comments',
    "const text = comments['body']",
    'const TEXT = comments.body\nconst PRIVACY = comments.isPrivate',
  ])('and is missed without them: %s', (text) => {
    expect(findUnguardedTexts(text.replaceAll('¤', '$'))).toHaveLength(1)
  })

  test.each([
    "const COLUMNS = pick(comments, 'body', 'isPrivate')",
    'function select(viewer: Viewer) {\n  return db.select({ text: comments.body }).where(visibleCommentCondition(viewer))\n}',
    'const { body } = request',
  ])('as here: %s', (text) => {
    expect(findUnguardedTexts(text)).toEqual([])
  })
})

test('an exported name has one meaning, so that a search for it finds one declaration', () => {
  // is imported whole, as the shapes of MCP
  const named = Object.entries(code).filter(([path]) => path !== 'src/edges/mcp/shapes.ts')
  const names = named.flatMap(([, text]) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|type|class) (\w+)/gm)].map(
      ([, name = '']) => name,
    ),
  )
  expect(names.length).toBeGreaterThan(1000)
  expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([])
})

describe('raw SQL', () => {
  const modules = import.meta.glob<Record<string, unknown>>('/src/platform/db/schema/*.ts', {
    eager: true,
  })
  const tables = new Map(
    Object.values(modules)
      .flatMap((module) => Object.values(module))
      .filter((value) => is(value, SQLiteTable))
      .map((table) => [
        getTableName(table),
        new Set(Object.values(getTableColumns(table)).map(({ name }) => name)),
      ]),
  )

  test('names the columns of tables through the schema, so that a renamed one does not compile', () => {
    const found = Object.entries(code)
      .filter(([path]) => !path.startsWith('src/platform/db/schema/'))
      .flatMap(([path, text]) => findTextColumns(text, tables).map((name) => `${path}: ${name}`))
    expect(found).toEqual([])
  })

  test.each([
    ['UPDATE bugs SET revision = 1', ['revision']],
    ['UPDATE bugs SET ¤ = 1, revision = ¤', ['revision']],
    ['INSERT INTO ¤ (¤, name) SELECT 1, 2', ['name']],
    ['INSERT INTO visits (¤) SELECT 1 ON CONFLICT (user_id) DO NOTHING', ['user_id']],
    ['UPDATE ¤ SET ¤ = excluded.revision RETURNING id', ['id', 'excluded.revision']],
    ['SELECT 1 FROM users u WHERE u.login = 1', ['u.login']],
    ['bugs.alias IS NULL', ['bugs.alias']],
    ['login_fold = ¤', ['login_fold']],
    ['SELECT 1 FROM (¤) t WHERE ¤ IN (SELECT id FROM users)', ['id']],
    ["SELECT ¤ AS name, 'id' FROM users", []],
    ['SELECT t.id, name FROM (¤) t', []],
    ['WITH RECURSIVE walk(id) AS (¤) SELECT walk.id FROM walk', []],
  ])('is searched for columns as text, not for names of subqueries: %s', (template, columns) => {
    expect(findTextColumns(`sql\`${template}\``, tables)).toEqual(columns)
    const nested = `a(sql\`\${b({ c: sql<d>\`${template}\` })}\`)`
    expect(findTextColumns(nested, tables)).toEqual(columns)
  })

  test.each([
    ['sql.raw(`bugs.¤{name}`)', 1],
    ["sql.raw('bugs.revision')", 1],
    ["sql`ORDER BY ¤{sql.raw('login_fold')}`", 1],
    ['sql`bugs.¤{sql.raw(column)}`', 1],
    ['sql`(SELECT u.¤{sql.raw(form)} FROM users u)`', 1],
    ['sql`SELECT ¤{sql.raw(column)} FROM fields`', 1],
    ['sql`SELECT c.¤{sql.raw(column)} FROM (¤{items}) c`', 0],
    ["sql`ORDER BY ¤{id} ¤{sql.raw('DESC')} LIMIT ¤{sql.raw(String(most))}`", 0],
  ])('is searched for columns that are text for sql.raw: %s', (template, columns) => {
    expect(findTextColumns(template.replaceAll('¤', '$'), tables)).toHaveLength(columns)
  })
})

test('a file is finished', () => {
  const unfinished = Object.entries(sources).filter(([, text]) =>
    /\b(?:TODO|FIXME|XXX|HACK)\b/.test(text),
  )
  expect(unfinished.map(([path]) => path)).toEqual([])
})

test('a line of comments has at most 120 characters', () => {
  const long = Object.entries(sources).flatMap(([path, text]) =>
    [...text.matchAll(/^ *(?:\*|\/\/|\/\*\*).{120,}$/gm)]
      .map(([line]) => line)
      .filter((line) => line.length > 120)
      .map((line) => `${path}: ${line}`),
  )
  expect(long).toEqual([])
})

test('the documents for contributors name files and folders that exist', () => {
  const documents = import.meta.glob<string>(['/*.md', '/docs/*.md'], {
    query: '?raw',
    eager: true,
    import: 'default',
  })
  const files = Object.keys(import.meta.glob('/{src,test,scripts}/**/*'))
  const named = /(?<=`)(?:src|test|scripts|platform|tracker|edges)\/[\w./-]+(?=`)/g
  const missing = Object.entries(documents).flatMap(([document, text]) =>
    [...text.matchAll(named)]
      .map(([path]) => path.replace(/^(?=platform|tracker|edges)/, 'src/'))
      .filter(
        (path) => !files.some((file) => `${file}/`.startsWith(`/${path.replace(/\/$/, '')}/`)),
      )
      .map((path) => `${document}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('every operation stands in the reference below the heading that it names', () => {
  const elsewhere = operations.filter(({ method, path, reference }) => {
    const [page = '', anchor = ''] = reference.split('#')
    const name = `${method} /rest${path.replace(/\{[^}]*\}/g, '')}`
    return !readOperations(readSection(pages[page] ?? '', anchor)).includes(name)
  })
  expect(elsewhere.map(({ method, path, reference }) => [method, path, reference])).toEqual([])
})
