import { describe } from 'vitest'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertReminder } from '../../support/builders/later-work.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE } from '../../support/client.ts'
import { type RefusalWorld, testRefusals } from '../../support/clients/refusals.ts'
import { REMINDER_REFUSALS, type ReminderSenders } from '../../support/tables/refusals/reminders.ts'

const [owner, stranger] = [await insertPerson(), await insertPerson()]
const admin = await insertPerson({ roles: ['admin'] })
const [bug, hidden] = [await insertBug(), await insertBug()]
await restrictBug(hidden.id, await insertGroup())
const reminder = await insertReminder(bug, owner)
const world: RefusalWorld<ReminderSenders> = {
  senders: { anyone: ANYONE, owner, stranger, admin },
  names: { bug: String(bug.id), hidden: String(hidden.id), reminder: String(reminder) },
}

describe.each(Object.entries(REMINDER_REFUSALS))('%s', (_, refusals) => {
  testRefusals(refusals, () => world)
})
