import { beforeAll, describe } from 'vitest'
import { finds, insertChangeWorld } from '../../../../support/worlds/change-world.ts'

beforeAll(insertChangeWorld)

describe('what the caller does not see has no influence', () => {
  finds([
    ['anyone', 'longdesc changedby @bob', ''],
    ['insider', 'longdesc changedby @bob', 'c'],
    ['anyone', 'not longdesc changedby @bob', 'abcdef'],
    ['anyone', 'comment_tag changedto spam', ''],
    ['anyone', 'comment_tag changedto good', 'c'],
    ['insider', 'comment_tag changedto spam', 'c'],
    ['anyone', 'anything changedby @both', ''],
    ['insider', 'anything changedby @both', 'c'],
    ['tracker', 'anything changedby @both', ''],
    ['anyone', 'attachments.description everchanged', ''],
    ['submitter', 'attachments.description changedto Secret', ''],
    ['submitter', 'anything changedby @ann & anything changedbefore 2025-06-02 11:00', ''],
    ['insider', 'attachments.description changedto Secret', 'd'],
    ['anyone', 'flagtypes.name everchanged', ''],
    ['insider', 'flagtypes.name changedto review?', 'd'],
    ['anyone', 'anything changedto review?', ''],
    ['insider', 'anything changedby @tracker', ''],
    ['tracker', 'anything changedby @tracker', 'e'],
    ['insider', 'estimated_time changedto 8', ''],
    ['tracker', 'estimated_time changedto 8', 'e'],
    ['insider', 'work_time everchanged', ''],
    ['tracker', 'work_time everchanged', 'e'],
    ['both', 'work_time everchanged', 'ce'],
    ['tracker', 'work_time changedby @bob', ''],
    ['both', 'work_time changedby @bob', 'c'],
    ['both', 'work_time changedto 2', ''],
  ])
})

describe('hidden bugs are cut out of the changes of links', () => {
  finds([
    ['anyone', 'dependson changedby @ann', ''],
    ['member', 'dependson changedby @ann', 'f'],
    ['anyone', 'dependson changedto #h', ''],
    ['member', 'dependson changedto #h', 'f'],
    ['anyone', 'dependson changedto #h, #a', ''],
    ['anyone', 'dependson changedto #a', 'f'],
    ['member', 'dependson changedto #a', ''],
    ['anyone', 'dependson changedfrom #h', ''],
    ['anyone', 'anything changedto #a', 'f'],
    ['anyone', 'anything changedto #h', ''],
    ['anyone', 'anything changedfrom #h', ''],
    ['member', 'anything changedfrom #h', 'f'],
    ['anyone', 'anything changedby @ann & anything changedafter 2025-06-02', 'abc'],
    ['member', 'anything changedby @ann & anything changedafter 2025-06-02', 'abcf'],
    ['anyone', 'dependson.count changedby @ann', ''],
    ['anyone', 'see_also changedto https://ÄRGER.test/1', 'f'],
    ['member', 'see_also changedto https://ÄRGER.test/1', ''],
    ['anyone', 'dependson.count changedby @bob', 'f'],
    ['anyone', 'cf_link changedfrom #h', ''],
    ['member', 'cf_link changedfrom #h', 'f'],
    ['anyone', 'cf_link changedto #b', 'f'],
    ['anyone', 'cf_link everchanged', 'f'],
  ])
})
