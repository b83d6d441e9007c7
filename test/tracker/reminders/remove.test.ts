import { describe, expect, test } from 'vitest'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertReminder } from '../../support/builders/later-work.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { get, send } from '../../support/client.ts'

const PATH = '/rest/reminder'

describe('DELETE /reminder/{id}', () => {
  test('removes a reminder of the caller, sent or not, once', async () => {
    const owner = await insertPerson()
    for (const doneAt of [null, NOW]) {
      const id = await insertReminder(await insertBug(), owner, { doneAt })
      expect((await send(owner, 'DELETE', `${PATH}/${id}`)).body).toEqual({ success: 1 })
      expect((await get(owner, `${PATH}/${id}`)).status).toBe(404)
      expect((await send(owner, 'DELETE', `${PATH}/${id}`)).body).toEqual({ success: 0 })
    }
  })

  test('answers 200 with success 0 for what is not the caller’s, and leaves it', async () => {
    const [owner, stranger] = [await insertPerson(), await insertPerson({ roles: ['admin'] })]
    const own = await insertReminder(await insertBug(), owner)
    for (const id of [own, 0, 999_999_999, '99999999999999999999']) {
      const { status, body } = await send(stranger, 'DELETE', `${PATH}/${id}`)
      expect([status, body]).toEqual([200, { success: 0 }])
    }
    expect((await get(owner, `${PATH}/${own}`)).status).toBe(200)
  })
})
