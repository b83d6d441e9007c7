import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../../support/builders/people.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE } from '../../../support/client.ts'
import { readRefusal, readTool } from '../../../support/clients/mcp.ts'

describe('find_users', () => {
  test('finds people by a part of a name, and says that there may be more', async () => {
    const realName = uniqueName('Kim ')
    const [kim, other] = [await insertPerson({ realName }), await insertPerson({ realName })]
    const { users, note } = await readTool(kim, 'find_users', { match: realName })
    expect(users).toHaveLength(2)
    expect(users).toContainEqual({ id: other.id, name: other.login, real_name: realName })
    expect(note).toBeUndefined()
    const few = await readTool(kim, 'find_users', { match: realName, limit: 1 })
    expect(few.users).toHaveLength(1)
    expect(few.note).toContain('higher limit')
  })

  test('is refused to anonymous callers as in the REST API', async () => {
    expect(await readRefusal(ANYONE, 'find_users', { match: 'kim' })).toContain('(error 505)')
  })
})

describe('whoami', () => {
  test('names the caller', async () => {
    const { id, login, key } = await insertPerson({ realName: 'Ann' })
    const caller = await readTool({ key }, 'whoami')
    expect(caller).toMatchObject({ id, name: login, real_name: 'Ann' })
    expect(await readRefusal(ANYONE, 'whoami')).toContain('(error 410)')
  })
})
