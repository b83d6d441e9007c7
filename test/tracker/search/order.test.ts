import { sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import { FIELD_CATALOGUE } from '../../../src/tracker/fields/catalogue.ts'
import { parseOrder } from '../../../src/tracker/search/order.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { buildCompileContext } from '../../support/search-forms.ts'

const TRACKER = buildCaller({ id: 1, login: '' }, ['timetracking'])
const INSIDER = buildCaller({ id: 1, login: '' }, ['insider'])

const dialect = new SQLiteSyncDialect()

function read(order: string[], caller: Caller = ANONYMOUS, ids: string[] = []) {
  const parsed = parseOrder(order, { ...buildCompileContext(caller), ids })
  return {
    ...parsed,
    by: parsed.by.map((part) => dialect.sqlToQuery(part).sql.replace(/\s+/g, ' ')),
  }
}

/** The columns of `bugs` in an order, each with its direction. */
function columns(order: string): string[] {
  return read([order]).by.map((part) => {
    const [, column = '', direction = ''] = /bugs\.(\w+)[\s\S]*? (ASC|DESC)$/.exec(part) ?? []
    return `${column} ${direction}`
  })
}

describe('the order of a search', () => {
  test.each([
    ['', ['id ASC']],
    ['bug_id', ['id ASC']],
    ['bug_id DESC', ['id DESC']],
    ['bugs.bug_id desc', ['id DESC']],
    [' Bug_ID   dEsC ', ['id DESC']],
    ['id', ['id ASC']],
    ['priority,bug_severity', ['priority_id ASC', 'severity_id ASC', 'id ASC']],
    ['priority DESC, severity', ['priority_id DESC', 'severity_id ASC', 'id ASC']],
    [
      'bug_status,priority,assigned_to,bug_id',
      ['status_id ASC', 'priority_id ASC', 'assigned_to_id ASC', 'id ASC'],
    ],
    ['Bug Number', ['id ASC']],
    ['bug number DESC', ['id DESC']],
    ['Importance', ['priority_id ASC', 'severity_id ASC', 'id ASC']],
    ['Importance DESC', ['priority_id DESC', 'severity_id ASC', 'id ASC']],
    ['Assignee', ['assigned_to_id ASC', 'status_id ASC', 'priority_id ASC', 'id ASC']],
    ['Last Updated', ['changed_at DESC', 'id ASC']],
    ['last updated ASC', ['changed_at ASC', 'id ASC']],
    ['changeddate', ['changed_at ASC', 'id ASC']],
    ['changeddate DESC', ['changed_at DESC', 'id ASC']],
    ['bugs.delta_ts desc', ['changed_at DESC', 'id ASC']],
    ['last_change_time', ['changed_at ASC', 'id ASC']],
    ['opendate DESC', ['created_at DESC', 'id ASC']],
    ['creation_ts', ['created_at ASC', 'id ASC']],
    ['creation_time', ['created_at ASC', 'id ASC']],
    ['map_assigned_to.login_name', ['assigned_to_id ASC', 'id ASC']],
    ['map_products.name', ['product_id ASC', 'id ASC']],
    ['short_short_desc', ['summary_fold ASC', 'id ASC']],
    ['whiteboard,url', ['whiteboard_fold ASC', 'url_fold ASC', 'id ASC']],
    ['creator,qa_contact', ['reporter_id ASC', 'qa_contact_id ASC', 'id ASC']],
    ['assigned_to_realname', ['assigned_to_id ASC', 'id ASC']],
    [
      'component,version,target_milestone',
      ['component_id ASC', 'version_id ASC', 'milestone_id ASC', 'id ASC'],
    ],
    [
      'type,platform,op_sys,resolution',
      ['type_id ASC', 'platform_id ASC', 'op_sys_id ASC', 'resolution_id ASC', 'id ASC'],
    ],
    ['comment_count DESC', ['public_comment_count DESC', 'id ASC']],
    ['delta_ts,changeddate DESC', ['changed_at ASC', 'id ASC']],
    ['nonsense,bug_id DESC', ['id DESC']],
    ['nonsense', ['id ASC']],
    ['relevance DESC', ['id ASC']],
    ['constructor,__proto__,toString', ['id ASC']],
    ["bug_id; DROP TABLE bugs,'", ['id ASC']],
  ])('is, from %j, the columns %j', (order, expected) => {
    expect(columns(order)).toEqual(expected)
  })

  test('may be in several parameters', () => {
    expect(read(['priority', 'bug_id DESC']).by).toEqual(read(['priority,bug_id DESC']).by)
  })

  test('keeps the sequence of the IDs in the request with bug_list', () => {
    expect(read(['bug_list'], ANONYMOUS, ['3,1', '02']).by).toEqual([
      "instr(?, ',' || bugs.id || ',') ASC",
      'bugs.id ASC',
    ])
    expect(read(['bug_list'], ANONYMOUS, ['3', 'alias']).by).toEqual(['bugs.id ASC'])
    expect(read(['bug_list'], ANONYMOUS, []).by).toEqual(['bugs.id ASC'])
  })

  test('is by hours or deadline for the time-tracking group alone', () => {
    for (const name of [
      'deadline',
      'estimated_time',
      'remaining_time',
      'actual_time',
      'work_time',
    ]) {
      expect(read([name]).by, name).toEqual(['bugs.id ASC'])
      expect(read([name], TRACKER).by, name).toHaveLength(2)
    }
  })

  test('is by the hours and comments that the caller may see', () => {
    expect(read(['work_time'], TRACKER).by[0]).toContain('public_worked_time')
    expect(read(['longdescs.count'], INSIDER).by[0]).toMatch(/^\(SELECT .*\bbugs\.comment_count\b/)
    expect(read(['longdescs.count'], TRACKER).by[0]).toMatch(
      /^\(SELECT .*\(bugs\.public_comment_count - .* ASC$/s,
    )
  })

  test.each([
    ['', 'id'],
    ['bug_id DESC', 'id'],
    ['changeddate DESC', 'changed_at'],
    ['creation_ts', 'created_at'],
    ['nonsense,delta_ts', 'changed_at'],
    ['priority,bug_id', null],
    ['short_desc', null],
  ])('can, from %j, follow the index %j', (order, orderIndex) => {
    expect(read([order]).orderIndex?.name ?? null).toBe(orderIndex)
  })

  test.each([
    ['', true, false],
    ['bug_id DESC', true, true],
    ['nonsense DESC,bug_id', true, false],
    ['nonsense,bug_id DESC', true, true],
    ['bug_id DESC,priority', true, true],
    ['priority DESC', false, true],
    ['changeddate', false, false],
  ])('is, from %j, by ID: %s, descending: %s', (order, isById, isDescending) => {
    expect(read([order])).toMatchObject({ isById, isDescending })
  })

  test('has the same columns in a form for which SQLite takes no index', () => {
    const { sorted } = parseOrder(['changeddate DESC'], {
      ...buildCompileContext(ANONYMOUS),
      ids: [],
    })
    expect(sorted.map((part) => dialect.sqlToQuery(part).sql)).toEqual([
      '+bugs.changed_at DESC',
      '+bugs.id ASC',
    ])
  })

  test('takes twenty columns and the ID', () => {
    const names = Object.keys(FIELD_CATALOGUE).filter((name) => name !== 'bug_id')
    const { by } = read([names.join(',')], TRACKER)
    expect(by).toHaveLength(21)
    expect(by.at(-1)).toBe('bugs.id ASC')
  })

  test('is by relevance, the best first, in a search that has one', () => {
    const byRelevance = (order: string) =>
      parseOrder([order], {
        ...buildCompileContext(ANONYMOUS),
        ids: [],
        relevance: sql`score`,
      }).by.map((part) => dialect.sqlToQuery(part).sql)
    expect(byRelevance('relevance')).toEqual(['score DESC', 'bugs.id ASC'])
    expect(byRelevance('Relevance DESC,id')).toEqual(['score DESC', 'bugs.id ASC'])
    expect(byRelevance('relevance ASC')).toEqual(['score ASC', 'bugs.id ASC'])
  })

  test('is by people without the domains of their logins for callers who do not know these', () => {
    const context = { ...buildCompileContext(ANONYMOUS), ids: [] }
    const textOf = (hidesDomains: boolean) => {
      const [first = sql``] = parseOrder(['assigned_to'], { ...context, hidesDomains }).by
      return dialect.sqlToQuery(first).sql
    }
    expect(textOf(true)).toMatch(/substr\(u\.login_fold, 1, .*'@'/)
    expect(textOf(false)).not.toContain('@')
  })
})
