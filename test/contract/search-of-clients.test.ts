import { beforeAll, describe, expect, test } from 'vitest'
import { insertPerson } from '../support/builders/people.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { get, send } from '../support/client.ts'
import { buildClientWorld, type ClientWorld } from '../support/worlds/client-world.ts'

const HERE = 'product={kitchen}'

/** Rows of a custom search: field, operator and value, or a group. */
function chart(...rows: string[]): string {
  return rows
    .map((row, index) => {
      const [field = '', operator, value] = row.split(' ')
      const [name, joiner] = field.replace('!', '').split(':')
      const number = index + 1
      return [
        `f${number}=${name}`,
        ...(field.startsWith('!') ? [`n${number}=1`] : []),
        ...(joiner === undefined ? [] : [`j${number}=${joiner}`]),
        ...(operator === undefined ? [] : [`o${number}=${operator}`]),
        ...(value === undefined ? [] : [`v${number}=${value}`]),
      ].join('&')
    })
    .join('&')
}

/** Requests as bots, dashboards and saved links send them, and the letters of the bugs that they find. */
const REQUESTS: [query: string, found: string][] = [
  ['id={a},{b},9999999&include_fields=id&include_fields=summary', 'ab'],
  ['id={a}&id={b}&permissive=1&include_fields=id,summary%20status', 'ab'],
  [`${HERE}&quicksearch=ALL`, 'abcd'],
  [`${HERE}&quicksearch=severity:blocker`, ''],
  [`${HERE}&quicksearch=flag:{needinfo}?{ann}&limit=5&offset=0&order=bug_id`, 'a'],
  [`${HERE}&quicksearch=kettle%20component:Heat&limit=5&include_fields=id`, 'a'],
  [`${HERE}&quicksearch=worker.ts`, ''],
  [
    `${HERE}&email1={ann}&emailassigned_to1=1&emailtype1=exact&resolution=---&list_id=7&query_format=advanced`,
    'a',
  ],
  [`${HERE}&email1=ann&severity=S1`, 'a'],
  [
    `${HERE}&email1={ann}&emailtype1=exact&emailassigned_to1=True&emailreporter1=True&emailcc1=True` +
      '&emailqa_contact1=True&emaillongdesc1=True',
    'abc',
  ],
  [
    `${HERE}&email1={bob}&emailtype1=substring&emailqa_contact1=1&email2={ann}&emailtype2=exact&emailassigned_to2=1`,
    'a',
  ],
  ['field0-0-0=keywords&type0-0-0=substring&value0-0-0={crash}', 'ab'],
  [`${HERE}&field0-0-0=keywords&type0-0-0=substring&value0-0-0={crash}&negate0=1`, 'cd'],
  [`${HERE}&bug_status=CONFIRMED&bug_severity=S1&tag=&short_desc=water`, 'a'],
  [`${HERE}&short_desc=kettle&short_desc=leaks&short_desc_type=allwordssubstr`, 'a'],
  [`${HERE}&longdesc=leaks&longdesc_type=allwordssubstr`, 'ad'],
  [`${HERE}&longdesc=black&longdesc_type=substring&longdesc_initial=1`, ''],
  [`${HERE}&status_whiteboard=triage&status_whiteboard_type=casesubstring`, 'a'],
  [`${HERE}&keywords={crash},{regression}&keywords_type=allwords`, 'b'],
  [`${HERE}&keywords={crash},{regression}&keywords_type=anywords`, 'ab'],
  [`${HERE}&keywords={regression}&keywords_type=nowords`, 'acd'],
  [`${HERE}&bug_id={a},{b}&bug_id_type=nowords`, 'cd'],
  [`${HERE}&chfieldfrom=2014-12-01&chfieldto=2014-12-05`, ''],
  [`${HERE}&chfield=[Bug%20Creation]&chfield=Alias&chfieldvalue=foo`, ''],
  [`${HERE}&chfield=[Bug%20creation]&chfieldfrom=-7d&chfieldto=Now`, 'abcd'],
  [`${HERE}&chfield=bug_status&chfieldfrom=-7d&chfieldto=Now&chfieldvalue=RESOLVED`, 'c'],
  [`${HERE}&columnlist=bug_id&column_list=x&known_name=x&query_based_on=x&resolution=---`, 'abd'],
  [
    `${HERE}&component=&priority=&order=priority,bug_severity,assigned_to&include_fields=id,last_updated`,
    'abcd',
  ],
  [`${HERE}&limit=0&offset=0&order=changeddate&include_fields=_all`, 'abcd'],
  [
    `${HERE}&include_fields=_default,duplicates,dupe_of,history,comments,attachments&limit=0`,
    'abcd',
  ],
  [
    `${HERE}&last_change_time=2014-12-01T00:00:00Z&order=changeddate%20DESC&limit=500&offset=0`,
    'abcd',
  ],
  ...(
    [
      [
        chart('OP:OR', 'keywords anywords {regression}', 'flagtypes.name equals {review}%2B', 'CP'),
        'bc',
      ],
      [chart('!OP:OR', 'short_desc substring kettle', 'component equals Light', 'CP'), 'b'],
      [
        chart(
          'OP:AND_G',
          'flagtypes.name substring {needinfo}',
          'flagtypes.name notsubstring {review}',
          'CP',
        ),
        'a',
      ],
      [
        chart('OP:AND_G', 'bug_status changedto RESOLVED', 'bug_status changedafter -7d', 'CP'),
        'c',
      ],
      [chart('!keywords anywords {crash}', 'creation_ts greaterthan -7d'), 'cd'],
      [chart('days_elapsed greaterthan 7'), ''],
      [chart('days_elapsed lessthaneq 1', 'resolution isempty'), 'abd'],
      [chart('longdesc casesubstring toast'), 'b'],
      [chart('longdesc regexp leaks.+Monday'), ''],
      [chart('longdesc regexp It.leaks'), 'a'],
      [chart('short_desc notregexp ^Kettle'), 'bd'],
      [chart('product anyexact {kitchen}', 'bug_severity anyexact S1,S2'), 'ab'],
      [chart('regressed_by isempty', 'see_also_count equals 0', 'dupe_count lessthan 1'), 'abcd'],
      [chart('blocked isnotempty'), 'b'],
      [chart('dependson equals {b}'), 'a'],
      [chart('reporter equals {ann}'), 'b'],
      [chart('assigned_to notequals {ann}'), 'bcd'],
      [chart('commenter equals {ann}'), 'b'],
      [chart('setters.login_name equals {root}'), 'ac'],
      [chart('priority everchanged'), ''],
      [chart('bug_status changedfrom CONFIRMED', 'bug_status changedby {root}'), 'c'],
      [chart('bug_status changedbefore 2014-12-01'), ''],
      [chart('bug_type nowords enhancement'), 'abcd'],
      [chart('attachments.mimetype anywordssubstr text,image'), ''],
      [chart('attachments.count equals 0', 'attachments.isobsolete notequals 1'), 'abcd'],
      [chart('{custom} isnotempty', '{custom} allwordssubstr 1.2'), 'c'],
      [chart('delta_ts greaterthaneq -1d', 'bug_group isempty'), 'abcd'],
      [chart('longdescs.count greaterthan 1'), 'b'],
      [chart('cc_count greaterthan 0'), 'ac'],
      [chart('bug_id nowordssubstr {a}', 'status_whiteboard allwords x'), ''],
      [chart('tag equals todo'), 'd'],
      [chart('anything changedafter -7d'), 'abc'],
    ] satisfies [string, string][]
  ).map(([query, found]): [string, string] => [`${HERE}&query_format=advanced&${query}`, found]),
]

describe('a search of an existing client', () => {
  let world: ClientWorld
  const people = { root: { login: '', key: '' }, ann: { login: '', key: '' } }

  beforeAll(async () => {
    people.root = await insertPerson({ roles: ['admin', 'editbugs'] })
    people.ann = await insertPerson()
    const bob = await insertPerson()
    world = await buildClientWorld(
      async (who, method, path, body) => {
        const answer = await send(people[who], method, path, body)
        expect(answer.status, answer.text).toBeLessThan(300)
        return answer.body
      },
      { root: people.root.login, ann: people.ann.login, bob: bob.login },
      {
        mark: uniqueName('m'),
        customFields: [`cf_${uniqueName('c')}`.toLowerCase()],
      },
    )
  })

  test.each(REQUESTS)('%s finds %j', async (query, found) => {
    const path = `/rest/bug?${world.fill(query).replaceAll(' ', '%20')}`
    const answer = await get(people.root, path)
    expect(answer.status, answer.text).toBe(200)
    const ids = answer.body.bugs.map((bug: { id: number }) => bug.id)
    expect(world.nameBugs(ids)).toBe(found)
    if (!query.includes('offset')) {
      const counted = await get(people.root, `${path}&count_only=1`)
      expect(counted.body).toEqual({ bug_count: found.length })
    }
  })
})
