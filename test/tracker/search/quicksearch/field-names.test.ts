import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../../src/platform/access/caller.ts'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { EMPTY_CONFIGURATION } from '../../../../src/tracker/search/configuration.ts'
import { matchFieldName } from '../../../../src/tracker/search/quicksearch/operand-field.ts'
import { findSearchField } from '../../../../src/tracker/search/search-fields.ts'
import { CONFIGURATION } from '../../../support/quicksearch.ts'

const fieldsOf = (name: string, configuration = EMPTY_CONFIGURATION) =>
  matchFieldName(name, configuration).matches.map(({ field }) => field)
const withCustom = (...names: string[]) => ({
  ...EMPTY_CONFIGURATION,
  customFields: new Map(names.map((name, id) => [name, { id, type: FIELD_TYPE.freeText }])),
})

describe('a name of a field in a quicksearch', () => {
  test.each(
    Object.entries({
      alias: 'al alias',
      assigned_to: 'as assi assign assigned_to assignee owner',
      reporter: 'rep reporter creator',
      qa_contact: 'q qa qa_contact',
      triage_owner: 'tr triage triage_owner',
      cc: 'cc',
      commenter: 'commente commenter',
      product: 'pro product',
      component: 'comp component',
      classification: 'cl class classification',
      version: 'v ver version',
      target_milestone: 'm mile milestone tar target_milestone',
      bug_status: 'st status bug_status',
      resolution: 'res resolution',
      priority: 'pri priority',
      bug_severity: 'sev severity',
      bug_type: 'ty type',
      rep_platform: 'pl plat platform',
      op_sys: 'os op op_sys',
      short_desc: 'su sh summary short_desc',
      longdesc: 'comment des description lo longdesc',
      bug_file_loc: 'u url',
      status_whiteboard: 'wh sw whiteboard',
      keywords: 'k kw keywords',
      bug_group: 'g group',
      'flagtypes.name': 'fl flag',
      'requestees.login_name': 'req requestee',
      'setters.login_name': 'set setter',
      'attachments.description': 'attachment attachmentdesc attachd attachdesc',
      'attachments.mimetype': 'attachmi attachmentm attachmentmimetype attachmimetype',
      dependson: 'dep dependson depends_on',
      blocked: 'bl blocked blocks',
      regressed_by: 'regressed regressed_by',
      regresses: 'regressi regresses regressions',
      dup_id: 'dup_ dup_id',
      duplicates: 'dupl duplicates',
      see_also: 'see see_also',
      tag: 'tag',
      comment_tag: 'comment_ comment_tag',
      bug_id: 'bu bug_id id',
      creation_ts: 'cr creation_ts creation_time',
      delta_ts: 'del delta_ts last_change_time',
      deadline: 'dea deadline',
      estimated_time: 'es estimated_time',
      remaining_time: 'rem remaining_time',
      work_time: 'wo work_time',
      percentage_complete: 'pe percentage_complete',
      days_elapsed: 'da days_elapsed',
      owner_idle_time: 'owner_ owner_idle_time',
      last_visit_ts: 'la last_visit_ts',
      filed_via: 'fi filed_via',
      everconfirmed: 'ev everconfirmed',
      team_name: 'te team_name',
      content: 'con content',
      cc_count: 'cc_count',
      see_also_count: 'see_also_count',
      dupe_count: 'dupe_count',
      anything: 'anything',
    }),
  )('%s is written as one of: %s', (field, names) => {
    const found = names.split(' ').map((name) => fieldsOf(name))
    expect(found).toEqual(found.map(() => [field]))
    expect(fieldsOf(field)).toEqual([field])
    expect(fieldsOf(field.toUpperCase())).toEqual([field])
    expect(findSearchField(field, EMPTY_CONFIGURATION, SYSTEM)?.name).toBe(field)
  })

  test.each(['com', 'a', 's', 'se', 're', 'd', 'dup', 'p', 't', 'owne', 'attach', 'regress'])(
    '%s is short for several fields',
    (name) => {
      expect(fieldsOf(name).length).toBeGreaterThan(1)
    },
  )

  test.each([
    'foo',
    'creat0r',
    'cc_',
    'dupe',
    'any',
    'reporter_accessible',
    'longdescs.count',
    'x',
  ])('%s is unknown', (name) => {
    expect(fieldsOf(name)).toEqual([])
  })

  test('is short for a field once, whichever of its names it starts', () => {
    expect(matchFieldName('com', EMPTY_CONFIGURATION).matches.map(({ name }) => name)).toEqual([
      'comment',
      'comment_tag',
      'commenter',
      'component',
    ])
  })
})

describe('the name of a custom field in a quicksearch', () => {
  test.each([
    ['cf_build', ['cf_build']],
    ['CF_Build', ['cf_build']],
    ['build', ['cf_build']],
    ['bui', ['cf_build']],
    ['cf_bui', ['cf_build']],
    ['crash_s', ['cf_crash_signature']],
    ['crash', ['cf_crash_count', 'cf_crash_signature']],
    ['cr', ['cf_crash_count', 'cf_crash_signature', 'creation_ts']],
  ])('%s may mean %j', (name, expected) => {
    expect(fieldsOf(name, CONFIGURATION)).toEqual(expected)
  })

  test('gives way to a standard name, unless it is written with its prefix', () => {
    const configuration = withCustom('cf_url', 'cf_creator')
    expect(fieldsOf('url', configuration)).toEqual(['bug_file_loc'])
    expect(fieldsOf('creator', configuration)).toEqual(['reporter'])
    expect(fieldsOf('cf_url', configuration)).toEqual(['cf_url'])
  })

  test('wins over the start of a standard name when it is complete', () => {
    expect(fieldsOf('sum', withCustom('cf_sum', 'cf_summit'))).toEqual(['cf_sum'])
    expect(fieldsOf('summ', withCustom('cf_sum', 'cf_summit'))).toEqual(['cf_summit', 'short_desc'])
  })
})
