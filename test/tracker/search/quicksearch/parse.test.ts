import { describe, expect, test } from 'vitest'
import { catchRefusal, parse, plain, print, printOpen } from '../../../support/quicksearch.ts'

/** A plain word among others. */
const word = (text: string) => `(${plain(text)})`
/** Comments switched off. */
const bare = (text: string) => plain(text).replace(/ OR content.*/, '')
const CLOSED = 'bug_status in (RESOLVED, VERIFIED)'

describe('a quicksearch of open bugs', () => {
  test.each([
    ['toolbar', plain('toolbar')],
    ['toolbar icon', `${word('toolbar')} AND ${word('icon')}`],
    ['"toolbar icon"', plain('toolbar icon')],
    ['toolbar|sidebar', `${plain('toolbar')} OR ${plain('sidebar')}`],
    ['toolbar OR sidebar icon', `(${plain('toolbar')} OR ${plain('sidebar')}) AND ${word('icon')}`],
    ['toolbar,sidebar', `${plain('toolbar')} OR ${plain('sidebar')}`],
    ['toolbar -icon', `${word('toolbar')} AND NOT ${word('icon')}`],
    ['toolbar NOT icon', `${word('toolbar')} AND NOT ${word('icon')}`],
    ['-toolbar,icon', `NOT (${plain('toolbar')} OR ${plain('icon')})`],
    ['"-icon"', plain('-icon')],
    ['NOT NOT icon', plain('icon')],
    ['open printer', `${word('open')} AND ${word('printer')}`],
    ['printer FIXED', `${word('printer')} AND ${word('FIXED')}`],
    ['P1', 'priority in (P1)'],
    ['P2-4 printer', `priority in (P2, P3, P4) AND ${word('printer')}`],
    ['P1,P3', 'priority in (P1) OR priority in (P3)'],
    ['-P5', 'NOT priority in (P5)'],
    ['pri:P1,P2', 'priority~P1 OR priority~P2'],
    ['sev:critical,blocker', 'bug_severity~critical OR bug_severity~blocker'],
    ['severity!=minor', 'bug_severity!=minor'],
    ['type:enh', 'bug_type~enh'],
    ['prod:mail comp:filter', 'product~mail AND component~filter'],
    ['product:"Mail & News"', 'product~"Mail & News"'],
    ['component="Browser :: Layout"', 'component="Browser :: Layout"'],
    ['class:client', 'classification~client'],
    [':mail', 'product~mail OR component~mail'],
    [
      ':mail,news -:calendar',
      '(product~mail OR component~mail OR product~news OR component~news) AND NOT (product~calendar OR component~calendar)',
    ],
    ['@kim', 'assigned_to~kim'],
    ['-@kim,lee', 'NOT (assigned_to~kim OR assigned_to~lee)'],
    ['assign:kim', 'assigned_to~kim'],
    ['assigned_to=kim@x.test', 'assigned_to=kim@x.test'],
    ['assigned_to=%user%', 'assigned_to=%user%'],
    ['rep:kim', 'reporter~kim'],
    ['creator:kim', 'reporter~kim'],
    ['cc:kim', 'cc~kim'],
    ['-cc:kim', 'NOT cc~kim'],
    ['qa:kim', 'qa_contact~kim'],
    ['triage:kim', 'triage_owner~kim'],
    ['@kim|rep:kim', 'assigned_to~kim OR reporter~kim'],
    ['#overflow', 'short_desc~overflow OR content matches "\\"overflow\\""'],
    ['--comments #overflow', 'short_desc~overflow'],
    [
      '++description overfl',
      plain('overfl').replace(' OR content', ' OR first_comment~overfl OR content'),
    ],
    ['--comments overflow', bare('overflow')],
    ['comment:"null pointer"', 'longdesc~"null pointer"'],
    ['content:"+leak +socket"', 'content matches "+leak +socket"'],
    ['summary:"a, b"', 'short_desc~"a, b"'],
    ['summary:a,b', 'short_desc~a OR short_desc~b'],
    ['summary="Exact title"', 'short_desc="Exact title"'],
    ['summary,whiteboard:regress', 'short_desc~regress OR status_whiteboard~regress'],
    ['-summary:""', 'NOT short_desc isempty'],
    ['alias:""', 'alias isempty'],
    ['[triage', 'short_desc~triage OR status_whiteboard~triage'],
    ['sw:triage', 'status_whiteboard~triage'],
    ['whiteboard:triage', 'status_whiteboard~triage'],
    ['!crash', 'keywords anywords crash'],
    ['!crash,perf', 'keywords anywords "crash,perf"'],
    ['-!crash', 'NOT keywords anywords crash'],
    ['kw:reg', 'keywords~reg'],
    ['review?', 'flagtypes.name~review?'],
    ['review?kim', 'flagtypes.name~review? AND requestees.login_name~kim'],
    ['flag:approval+', 'flagtypes.name~approval+'],
    ['flag:review?,needinfo?', 'flagtypes.name~review? OR flagtypes.name~needinfo?'],
    [
      '-flag:approval+ -flag:approval?',
      'NOT flagtypes.name~approval+ AND NOT flagtypes.name~approval?',
    ],
    ['requestee:kim setter:lee', 'requestees.login_name~kim AND setters.login_name~lee'],
    ['url:"example.test"', 'bug_file_loc~example.test'],
    [
      'www.example.test',
      plain('www.example.test').replace(
        ' OR content',
        ' OR bug_file_loc~www.example.test OR content',
      ),
    ],
    [
      'http://example.test/',
      plain('http://example.test/').replace(
        ' OR content',
        ' OR bug_file_loc~"http://example.test/" OR content',
      ),
    ],
    ['std::vector', plain('std::vector')],
    ['creation_ts>=-2w', 'creation_ts>=-2w'],
    ['delta_ts<2024-01-01', 'delta_ts<2024-01-01'],
    ['bug_id>5000', 'bug_id>5000'],
    ['dependson=12', 'dependson=12'],
    ['blocked=12', 'blocked=12'],
    ['dependson:12', 'dependson~12'],
    ['regressed_by=12', 'regressed_by=12'],
    ['dup_id=12', 'dup_id=12'],
    ['see:tracker.test', 'see_also~tracker.test'],
    ['tag:later', 'tag~later'],
    ['group:security', 'bug_group~security'],
    ['mile:M3 ver:2', 'target_milestone~M3 AND version~2'],
    ['os:linux plat:arm', 'op_sys~linux AND rep_platform~arm'],
    ['build:2025', 'cf_build~2025'],
    ['cf_build:2025', 'cf_build~2025'],
    ['attachment:patch', 'attachments.description~patch'],
    ['everconfirmed=0', 'everconfirmed=0'],
    ['owner_idle_time:60d', 'owner_idle_time>60d'],
    ['severity:blocker', 'bug_severity~blocker'],
    ['flag:needinfo?user@x', 'flagtypes.name~needinfo? AND requestees.login_name~user@x'],
    ['foo component:Core', `${word('foo')} AND component~Core`],
  ])('reads %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })
})

describe('a quicksearch that says something of statuses', () => {
  test.each([
    ['ALL toolbar', plain('toolbar')],
    ['ALL', 'TRUE'],
    ['OPEN', 'bug_status in (__open__)'],
    ['UNCO', 'bug_status in (UNCONFIRMED)'],
    ['UNCO,NEW printer', `bug_status in (UNCONFIRMED, NEW) AND ${word('printer')}`],
    ['RES printer', `bug_status in (RESOLVED) AND ${word('printer')}`],
    ['FIX printer', `${CLOSED} AND resolution in (FIXED) AND ${word('printer')}`],
    ['FIX,WONT', `${CLOSED} AND resolution in (FIXED, WONTFIX)`],
    ['VER', 'bug_status in (VERIFIED)'],
    ['W printer', `${CLOSED} AND resolution in (WONTFIX, WORKSFORME) AND ${word('printer')}`],
    ['status:VERIFIED printer', `bug_status~VERIFIED AND ${word('printer')}`],
    ['status=NEW,REOPENED', 'bug_status=NEW OR bug_status=REOPENED'],
    ['resolution:---', 'resolution isempty'],
    ['resolution=FIXED', 'resolution=FIXED'],
    ['-status:NEW', 'NOT bug_status~NEW'],
    ['toolbar|status:NEW', `${plain('toolbar')} OR bug_status~NEW`],
    ['ALL status:NEW', 'bug_status~NEW'],
    ['res,alias:x', 'resolution~x OR alias~x'],
  ])('reads %s', (text, expected) => {
    expect(print(text)).toBe(expected)
  })

  test('keeps to open bugs when a field of statuses has no value', () => {
    expect(printOpen('status: toolbar')).toBe(plain('toolbar'))
  })

  test('adds no rule about statuses beside a parameter for statuses or resolutions', () => {
    const hasStatusCriterion = true
    expect(print('toolbar', { hasStatusCriterion })).toBe(plain('toolbar'))
    expect(print('NEW', { hasStatusCriterion })).toBe('bug_status in (NEW)')
    expect(print('OPEN', { hasStatusCriterion })).toBe('bug_status in (__open__)')
  })
})

describe('a quicksearch of nothing but numbers', () => {
  test.each([
    ['35', 'bug_id in (35)'],
    ['35, 36 40', 'bug_id in (35, 36, 40)'],
    [' ,35,,36, ', 'bug_id in (35, 36)'],
  ])('asks for the bugs %s, whatever their status', (text, expected) => {
    expect(print(text)).toBe(expected)
  })

  test.each(['"35"', '35 x', '-35', '35|36', 'toolbar', 'ALL'])('is not %s', (text) => {
    expect(print(text)).not.toMatch(/^bug_id in/)
  })
})

describe('the limit of a quicksearch', () => {
  test.each([
    ['ALL+ toolbar', true],
    ['OPEN+', true],
    ['NEW,FIX+', true],
    ['ALL', false],
    ['toolbar+', false],
    ['NOTHING+', false],
    ['toolbar ALL+', false],
  ])('of %s is lifted: %s', (text, expected) => {
    expect(parse(text).isLimitLifted).toBe(expected)
  })
})

describe('a quicksearch is refused', () => {
  test.each(['', '  ', ', ,', '++comments', 'summary:', '""', '-""', 'NOT summary:'])(
    'with 1000 when it asks for nothing, as %j does',
    (text) => {
      expect(catchRefusal(text)).toMatch(/^1000 /)
    },
  )

  test('once for all names that are no field or short for several, with their places', () => {
    expect(catchRefusal('🙂 foo:bar lamp com,nofield:x')).toBe(
      "32000 The search cannot be read: quicksearch names 'foo' at character 3, which is no field;" +
        " 'com' at character 16, which may be short for comment, comment_tag, commenter, component;" +
        " 'nofield' at character 20, which is no field; write the name of a field, or put quotes" +
        ' around a word that is meant as text.',
    )
  })

  test('with a message of bounded length, however many names are wrong', () => {
    const refusal = catchRefusal('a:b '.repeat(2000))
    expect(refusal).toContain('and 1980 more')
    expect(refusal.length).toBeLessThan(5000)
  })

  test('when its words and fields make more conditions than a search may have', () => {
    expect(parse('ab,'.repeat(59)).expression.kind).toBe('all')
    expect(catchRefusal('ab,'.repeat(60))).toMatch(/^32000 .*more than 300 conditions/)
    const fields = 'alias,summary,url,os,kw,cc,tag'
    expect(catchRefusal(`${fields}:${'x,'.repeat(4000)}`)).toMatch(/^32000 .*more than 300/)
  })
})
