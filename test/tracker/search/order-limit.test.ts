import { expect, test } from 'vitest'
import { hideBugs, insertBugs } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, get } from '../../support/client.ts'

/** More than are sorted by so many columns. */
const MANY = 25_000
const LOOKED_UP = [
  ...['product', 'component', 'assigned_to', 'reporter', 'keywords', 'flagtypes.name', 'version'],
  ...['target_milestone', 'priority', 'bug_severity', 'op_sys', 'rep_platform', 'keywords.count'],
  ...['cc_count', 'dependson.count', 'blocked.count', 'longdescs.count', 'attachments.count'],
]

test('an order that looks up too much is refused with the columns that do so', async () => {
  const { place, ids } = await insertBugs(await insertPerson(), MANY)
  const columns = ['short_desc', ...LOOKED_UP].join(',')
  const { text } = await get(
    ANYONE,
    `/rest/bug?product=${encodeURIComponent(place.name)}&limit=20&order=${columns}`,
  )
  await hideBugs(ids)
  const { code, message } = JSON.parse(text)
  expect(code).toBe(1001)
  for (const column of LOOKED_UP.slice(0, 7)) {
    expect(message).toContain(column)
  }
  expect(message).not.toContain('short_desc')
})
