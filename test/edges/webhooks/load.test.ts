import { expect, test } from 'vitest'
import { requireWebhook, selectWebhooksByName } from '../../../src/edges/webhooks/load.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { execute } from '../../support/database/execute.ts'

test('names are compared in either case, for each owner by themselves', async () => {
  const [owner, other] = [await insertPerson(), await insertPerson()]
  const { id } = await insertWebhook(
    owner,
    { url: 'https://hooks.example.com/' },
    { name: 'Größe' },
  )
  expect(await execute(selectWebhooksByName(owner.id, 'GRÖSSE'))).toEqual([])
  expect(await execute(selectWebhooksByName(owner.id, 'GRÖßE'))).toMatchObject([{ id }])
  expect(await execute(selectWebhooksByName(other.id, 'Größe'))).toEqual([])
})

test('a webhook that is not there is 51', () => {
  expect(catchFaultCode(() => requireWebhook([], 7))).toBe(51)
})
