import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../../src/platform/access/caller.ts'
import { describeUnknownParameters } from '../../../../src/tracker/search/parameters/parse.ts'
import { CONFIGURATION, readQuery, TRACKER } from '../../../support/search/parse-query.ts'

const describeUnknown = (query: string, caller: Caller = ANONYMOUS) =>
  describeUnknownParameters(readQuery(query), { caller, configuration: CONFIGURATION })

describe('what a search does not understand', () => {
  test.each([
    ['Cf_Single=a&cf_other=a', " Not understood: 'cf_other'."],
    ['f1=cc&fx=cc&o1=a&n1=1&j1=OR&field0-0-0=a&field0-0=a', " Not understood: 'fx', 'field0-0'."],
    ['a=%20&b=1&B=', " Not understood: 'b', 'B'."],
    ['toString=1', " Not understood: 'toString'."],
  ])('are the names of %j', (query, described) => {
    expect(describeUnknown(query)).toBe(described)
  })

  test('are names of hours for those who do not track time', () => {
    expect(describeUnknown('estimated_time=1')).toContain("'estimated_time'")
    expect(describeUnknown('estimated_time=1', TRACKER)).toBe('')
  })
})
