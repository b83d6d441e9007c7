import { expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { get } from '../../support/client.ts'

test('two groups of rows and changes of linked bugs are no deeper than a statement may be', async () => {
  const groups = [
    'f1=OP&j1=AND_G&f2=regressed_by&o2=anyexact&v2=19,17&f3=regressed_by&o3=everchanged&n3=1',
    'f4=regressed_by&o4=anywordssubstr&v4=26,6&f5=CP&f6=OP&j6=AND_G&f7=blocked&o7=isnotempty',
    'f8=blocked&o8=anyexact&v8=26,27&f9=blocked&o9=changedafter&v9=now&f10=CP',
  ]
  const query = `j_top=OR&${groups.join('&')}`
  expect((await get(await insertPerson(), `/rest/bug?${query}`)).status).toBe(200)
})
