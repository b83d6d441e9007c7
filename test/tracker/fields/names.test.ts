import { describe, expect, test } from 'vitest'
import { toInternalName } from '../../../src/tracker/fields/names.ts'
import { ANYONE, get } from '../../support/client.ts'

describe('the internal name of a field', () => {
  test.each([
    ['status', 'bug_status'],
    ['bug_status', 'bug_status'],
    [' Bug_Status ', 'bug_status'],
    ['SEVERITY', 'bug_severity'],
    ['platform', 'rep_platform'],
    ['regressions', 'regresses'],
    ['comment_count', 'longdescs.count'],
    ['priority', 'priority'],
    ['CF_Colour', 'cf_colour'],
    ['', ''],
  ])('of %j is %j', (given, internal) => {
    expect(toInternalName(given)).toBe(internal)
  })

  test('is the name that the field of that name at a bug has', async () => {
    const pairs = {
      id: 'bug_id',
      summary: 'short_desc',
      status: 'bug_status',
      severity: 'bug_severity',
      type: 'bug_type',
      platform: 'rep_platform',
      url: 'bug_file_loc',
      whiteboard: 'status_whiteboard',
      creator: 'reporter',
      creation_time: 'creation_ts',
      last_change_time: 'delta_ts',
      is_confirmed: 'everconfirmed',
      is_cc_accessible: 'cclist_accessible',
      is_creator_accessible: 'reporter_accessible',
      depends_on: 'dependson',
      blocks: 'blocked',
      regressions: 'regresses',
      dupe_of: 'dup_id',
      groups: 'bug_group',
      comment_count: 'longdescs.count',
      description: 'longdesc',
    }
    for (const [name, internal] of Object.entries(pairs)) {
      const { body } = await get(ANYONE, `/rest/field/bug/${name}?include_fields=name`)
      expect(body).toEqual({ fields: [{ name: internal }] })
    }
  })
})
