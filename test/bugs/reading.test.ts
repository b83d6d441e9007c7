import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { ANONYMOUS, type Caller } from '../../src/access/caller.ts'
import { bugsById, bugsWhere } from '../../src/access/reach.ts'
import { BugReading } from '../../src/bugs/reading.ts'
import type { Ctx } from '../../src/context.ts'
import { openDoor } from '../../src/db/door.ts'
import { together } from '../../src/db/together.ts'
import { readSettings } from '../../src/settings.ts'
import { bug } from '../support/happening.ts'
import { callerOf } from '../support/reading.ts'
import { person } from '../support/world.ts'

const READER: Caller = callerOf({ id: 1, login: 'reader@example.test', key: '' })

type Selected = { include_fields?: string[]; exclude_fields?: string[] }

const everyBug = bugsWhere(ANONYMOUS, [sql`true`])

function reading(selected: Selected, caller: Caller = ANONYMOUS): BugReading {
  const ctx: Pick<Ctx, 'caller' | 'settings' | 'env'> = { caller, settings: readSettings({}), env }
  return new BugReading(ctx as Ctx, selected)
}

function columnsRead(selected: Selected, caller?: Caller): string[] {
  const read = reading(selected, caller).statements(everyBug).rows
  return Object.keys(read._.selectedFields).sort()
}

describe('the reading of bugs', () => {
  it.each<[string[] | undefined, string[] | undefined, string[]]>([
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
    [['_extra'], undefined, ['description', 'filedVia', 'id', 'tags', 'triageOwner']],
    [['_default'], ['_default'], ['id']],
    [['_all'], ['_all', 'id'], ['id']],
    [['id', 'update_token', 'actual_time', 'remaining_time'], undefined, ['id']],
  ])('of %j without %j reads the columns %j', (include, exclude, expected) => {
    expect(columnsRead({ include_fields: include, exclude_fields: exclude })).toEqual(expected)
  })

  it('of the default fields reads neither extra columns nor hours for outsiders', () => {
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

  it('of all fields reads less for each field that is left out', () => {
    const all = columnsRead({ include_fields: ['_all'] })

    expect(columnsRead({ include_fields: ['_all'], exclude_fields: ['cc'] })).toEqual(
      all.filter((column) => column !== 'cc'),
    )
    expect(columnsRead({ include_fields: ['_all'], exclude_fields: ['status'] })).toEqual(all)
    expect(
      columnsRead({ include_fields: ['_all'], exclude_fields: ['status', 'is_open'] }),
    ).toEqual(all.filter((column) => column !== 'status'))
    expect(columnsRead({ exclude_fields: ['_custom'] })).toEqual(
      columnsRead({}).filter((column) => column !== 'custom'),
    )
  })

  it('asks for the custom fields only when one may be shown', () => {
    const asks = (selected: Selected) =>
      reading(selected).statements(everyBug).definitions !== undefined

    expect(asks({})).toBe(true)
    expect(asks({ include_fields: ['id', 'cf_x'] })).toBe(true)
    expect(asks({ include_fields: ['id'] })).toBe(false)
    expect(asks({ exclude_fields: ['_custom'] })).toBe(false)
    expect(asks({ include_fields: ['_custom'], exclude_fields: ['cf_x'] })).toBe(true)
  })

  it('asks for comments only when they are wanted', () => {
    const asks = (selected: Selected) =>
      reading(selected).statements(everyBug).comments !== undefined

    expect(asks({})).toBe(false)
    expect(asks({ include_fields: ['_extra'] })).toBe(true)
    expect(asks({ include_fields: ['comments.text'] })).toBe(true)
    expect(asks({ include_fields: ['_all'], exclude_fields: ['comments'] })).toBe(false)
  })

  it('costs no row more than the columns need', async () => {
    const made = await bug({ cc: [await person(), await person()] })
    const cost = async (include_fields: string[]) => {
      const door = openDoor(env.DB, 'first-primary')
      await together(door, reading({ include_fields }).statements(bugsById(ANONYMOUS, [made.id])))
      return door.tally.rowsRead
    }
    const least = await cost(['id'])

    expect(await cost(['id', 'summary', 'url', 'creation_time'])).toBe(least)
    expect(await cost(['id', 'status', 'is_open'])).toBe(least + 1)
    expect(await cost(['id', 'assigned_to', 'assigned_to_detail'])).toBe(least + 1)
    // each person is found on the list, looked up and sorted
    expect(await cost(['id', 'cc'])).toBe(least + 6)
  })

  it('makes tokens that belong to one bug, one state and one person', async () => {
    const [one, other] = [await bug(), await bug()]
    const token = async (id: number, caller: Caller) => {
      const own = reading({ include_fields: ['update_token'] }, caller)
      const door = openDoor(env.DB, 'first-primary')
      const read = await together(door, own.statements(bugsById(caller, [id])))
      return own.show(read)[0]?.update_token
    }
    const [ann, bob] = [callerOf(await person()), callerOf(await person())]

    expect(await token(one.id, ann)).toMatch(/^\d+-[\w-]{22}$/)
    expect(await token(one.id, ann)).toBe(await token(one.id, ann))
    expect(await token(one.id, bob)).not.toBe(await token(one.id, ann))
    expect(await token(other.id, ann)).not.toBe(await token(one.id, ann))
    expect(await token(one.id, ANONYMOUS)).toBeUndefined()
  })
})
