import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { bugsById, bugsWhere } from '../../../../src/platform/access/bug-set.ts'
import { ANONYMOUS, type Caller } from '../../../../src/platform/access/caller.ts'
import type { Ctx } from '../../../../src/platform/context.ts'
import { readBatch } from '../../../../src/platform/db/read-batch.ts'
import { openSession } from '../../../../src/platform/db/session.ts'
import { countReader } from '../../../../src/platform/load/readers.ts'
import { readSettings } from '../../../../src/platform/settings/settings.ts'
import type { BugRow } from '../../../../src/tracker/bugs/read/columns.ts'
import { BugReading } from '../../../../src/tracker/bugs/read/reader.ts'
import { insertBug } from '../../../support/builders/bugs.ts'
import { buildCaller } from '../../../support/builders/callers.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { columnNamesOf } from '../../../support/sql-columns.ts'

const READER: Caller = buildCaller({ id: 1, login: 'reader@example.test' })

type Selected = { include_fields?: string[]; exclude_fields?: string[] }

const everyBug = bugsWhere(ANONYMOUS, [sql`true`])

function reading(selected: Selected, caller: Caller = ANONYMOUS): BugReading {
  const ctx: Pick<Ctx, 'caller' | 'settings' | 'ip' | 'env' | 'baseUrl' | 'noteUnused'> = {
    noteUnused() {},
    caller,
    settings: readSettings({}),
    ip: '192.0.2.1',
    env,
    baseUrl: 'https://tracker.test',
  }
  return new BugReading(ctx as Ctx, selected)
}

function columnsRead(selected: Selected, caller?: Caller): string[] {
  const read = reading(selected, caller).selects(everyBug, 1).rows
  return columnNamesOf(read).sort()
}

describe('the reading of bugs', () => {
  test('reads 500 bugs in a round trip, 50 with discussions, and fewer of both while others read many', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const others = Array.from({ length: 100 }, () => countReader(() => end))
    expect(reading({}).load.chunk).toBeLessThan(161)
    expect(reading({ include_fields: ['comments'] }).load.chunk).toBeLessThan(50)
    resolve()
    await Promise.all(others)
    expect(reading({}).load.chunk).toBe(500)
    expect(reading({ include_fields: ['comments'] }).load.chunk).toBe(50)
  })

  test('reads more bugs at once, up to 500, where they are short', async () => {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const others = Array.from({ length: 100 }, () => countReader(() => end))
    const short = reading({ include_fields: ['id'] })
    short.load.noteLength(1_000)
    expect(short.load.nextChunk).toBeLessThan(241)
    short.load.noteLength(10)
    expect(short.load.nextChunk).toBe(500)
    resolve()
    await Promise.all(others)
  })

  test.each<[string[] | undefined, string[] | undefined, string[]]>([
    [['id'], undefined, ['id']],
    [['id', 'summary'], undefined, ['id', 'summary']],
    [['summary'], undefined, ['id', 'summary']],
    [['nonsense'], undefined, ['id']],
    [['is_open'], undefined, ['id', 'status']],
    [['assigned_to'], undefined, ['assignedTo', 'id']],
    [['assigned_to_detail'], undefined, ['assignedTo', 'id']],
    [['assigned_to.name'], undefined, ['assignedTo', 'id']],
    [['cc_detail'], ['cc.email'], ['cc', 'id']],
    [['cf_one'], undefined, ['custom', 'id']],
    [['_custom'], undefined, ['custom', 'id']],
    [
      ['_extra'],
      undefined,
      [
        ...['attachmentCount', 'blocks', 'cc', 'changedByPeopleAt', 'commentCount', 'dependsOn'],
        ...['description', 'duplicates', 'filedVia', 'id', 'keywords', 'regressedBy'],
        ...['regressions', 'tags', 'triageOwner'],
      ],
    ],
    [['last_change_time_non_bot'], undefined, ['changedByPeopleAt', 'id']],
    [['history', 'comments'], undefined, ['id']],
    [['_default'], ['_default'], ['id']],
    [['_all'], ['_all', 'id'], ['id']],
    [['id', 'update_token', 'actual_time', 'remaining_time'], undefined, ['id']],
  ])(
    'with include_fields %j and exclude_fields %j reads the columns %j',
    (include, exclude, expected) => {
      expect(columnsRead({ include_fields: include, exclude_fields: exclude })).toEqual(expected)
    },
  )

  test('of the default fields reads neither extra columns nor hours for callers who do not track time', () => {
    const read = columnsRead({})

    expect(read).toContain('commentCount')
    expect(read).toContain('custom')
    for (const column of ['description', 'tags', 'filedVia', 'actualTime', 'estimatedTime']) {
      expect(read).not.toContain(column)
    }
    expect(columnsRead({}, { ...READER, roles: new Set(['timetracking']) } as Caller)).toEqual(
      [...read, 'actualTime', 'estimatedTime', 'remainingTime'].sort(),
    )
  })

  test('of all fields reads fewer columns for each field that is excluded', () => {
    const all = columnsRead({ include_fields: ['_all'] })

    expect(columnsRead({ include_fields: ['_all'], exclude_fields: ['cc'] })).toEqual(all)
    expect(columnsRead({ include_fields: ['_all'], exclude_fields: ['cc', 'counts'] })).toEqual(
      all.filter((column) => column !== 'cc' && column !== 'attachmentCount'),
    )
    expect(columnsRead({ include_fields: ['_all'], exclude_fields: ['status'] })).toEqual(all)
    expect(
      columnsRead({ include_fields: ['_all'], exclude_fields: ['status', 'is_open'] }),
    ).toEqual(all.filter((column) => column !== 'status'))
    expect(columnsRead({ exclude_fields: ['_custom'] })).toEqual(
      columnsRead({}).filter((column) => column !== 'custom'),
    )
  })

  test('reads the custom fields only when the selection may include one', () => {
    const asks = (selected: Selected) =>
      reading(selected).selects(everyBug, 1).definitions !== undefined

    expect(asks({})).toBe(true)
    expect(asks({ include_fields: ['id', 'cf_x'] })).toBe(true)
    expect(asks({ include_fields: ['id'] })).toBe(false)
    expect(asks({ exclude_fields: ['_custom'] })).toBe(false)
    expect(asks({ include_fields: ['_custom'], exclude_fields: ['cf_x'] })).toBe(true)
  })

  test.each(['comments', 'history'] as const)(
    'reads %s only when the selection includes them',
    (name) => {
      const asks = (selected: Selected) =>
        reading(selected).selects(everyBug, 1)[name] !== undefined

      expect(asks({})).toBe(false)
      expect(asks({ include_fields: ['_extra'] })).toBe(true)
      expect(asks({ include_fields: [`${name}.text`] })).toBe(true)
      expect(asks({ include_fields: ['_all'], exclude_fields: [name] })).toBe(false)
    },
  )

  test('reads no more rows than the columns need', async () => {
    const made = await insertBug({ cc: [await insertPerson(), await insertPerson()] })
    const cost = async (include_fields: string[]) => {
      const session = openSession(env.DB, 'first-primary')
      await readBatch(
        { session },
        reading({ include_fields }).selects(bugsById(ANONYMOUS, [made.id]), 1),
      )
      return session.cost.rowsRead
    }
    const least = await cost(['id'])

    expect(await cost(['id', 'summary', 'url', 'creation_time'])).toBe(least)
    expect(await cost(['id', 'status', 'is_open'])).toBe(least + 1)
    expect(await cost(['id', 'assigned_to', 'assigned_to_detail'])).toBe(least + 1)
    // each person is found on the list, looked up and sorted
    expect(await cost(['id', 'cc'])).toBe(least + 6)
  })

  test('omits broken fields, but neither their bug nor other bugs', () => {
    // only the columns that the selection needs
    const rows: Partial<Record<keyof BugRow, unknown>>[] = [
      { id: 1, status: null, createdAt: 9e15, cc: 'no list', summary: 'Broken', custom: '[' },
      { id: 2, status: '["NEW",1]', createdAt: 0, cc: '[]', summary: 'Whole', custom: '[]' },
    ]
    const include_fields = ['id', 'status', 'is_open', 'creation_time', 'cc', 'summary', 'cf_x']
    const definitions = [{ id: 1, name: 'cf_x', type: 1, isObsolete: false }]

    expect(reading({ include_fields }).present({ rows: rows as BugRow[], definitions })).toEqual([
      { id: 1, summary: 'Broken' },
      {
        id: 2,
        status: 'NEW',
        is_open: true,
        creation_time: '1970-01-01T00:00:00Z',
        cc: [],
        cc_detail: [],
        summary: 'Whole',
        cf_x: '',
      },
    ])
  })

  test('presents thousands of people correctly, in any order', () => {
    const logins = Array.from({ length: 2500 }, (_, n) => `p${n % 1250}@example.test`)
    const rows = logins.map((login, id) => ({
      id,
      assignedTo: JSON.stringify([id % 1250, login, 'Somebody', null]),
    }))

    const include_fields = ['assigned_to']
    const presented = reading({ include_fields }).present({ rows: rows as BugRow[] })

    expect(presented.map((one) => [one.assigned_to, one.assigned_to_detail?.id])).toEqual(
      logins.map((login, id) => [login, id % 1250]),
    )
  })

  test('makes tokens that differ by bug, state and person', async () => {
    const [one, other] = [await insertBug(), await insertBug()]
    const token = async (id: number, caller: Caller) => {
      const own = reading({ include_fields: ['update_token'] }, caller)
      const session = openSession(env.DB, 'first-primary')
      const read = await readBatch({ session }, own.selects(bugsById(caller, [id]), 1))
      return own.present(read)[0]?.update_token
    }
    const [ann, bob] = [buildCaller(await insertPerson()), buildCaller(await insertPerson())]

    expect(await token(one.id, ann)).toMatch(/^\d+-\d+-\d+$/)
    expect(await token(one.id, ann)).toBe(await token(one.id, ann))
    expect(await token(one.id, bob)).not.toBe(await token(one.id, ann))
    expect(await token(other.id, ann)).not.toBe(await token(one.id, ann))
    expect(await token(one.id, ANONYMOUS)).toBeUndefined()
  })
})
