import { describe, expect, test } from 'vitest'
import { FIELD_CATALOGUE } from '../../../src/tracker/fields/catalogue.ts'
import { OPERATORS } from '../../../src/tracker/search/operators.ts'
import { searchParameterNames } from '../../../src/tracker/search/search-fields.ts'
import { ANYONE, type Answer, errorShape, get, type Sender } from '../../support/client.ts'
import { buildPrivateWorld } from '../../support/worlds/private-world.ts'

/** Searches that no form sends. Each is answered, or refused with a number that the reference has. */

const world = await buildPrivateWorld()
const callers: Sender[] = [ANYONE, world.logins.insider]
// the runner of the tests loads a module for one request at a time
await get(ANYONE, '/rest/bug?summary=x&summary_type=regexp')

const FIELDS = [...Object.keys(FIELD_CATALOGUE), 'no_such_field']
const NAMES = [...new Set([...searchParameterNames(), 'no_such_field'])]
const OPERATOR_NAMES = [...Object.keys(OPERATORS), 'no_such_operator']
const REFUSALS = [108, 302, 304, 1000, 1001, 32000]

/** The searches that fail in a way that the reference does not have. */
async function findFailures(sender: Sender, queries: readonly string[]): Promise<string[]> {
  const failures: string[] = []
  for (let start = 0; start < queries.length; start += 20) {
    const some = queries.slice(start, start + 20)
    const answers = await Promise.all(
      some.map((query) => get(sender, `/rest/bug?include_fields=id&limit=2&${query}`)),
    )
    failures.push(
      ...answers.flatMap((answer, n) =>
        isInReference(answer)
          ? []
          : [`${answer.status} ${answer.text.slice(0, 200)} ${some[n]?.slice(0, 200)}`],
      ),
    )
  }
  return failures
}

function isInReference({ status, body }: Answer): boolean {
  return status === 200
    ? Array.isArray(body.bugs)
    : status < 500 && REFUSALS.includes(errorShape.parse(body).code)
}

async function expectAnswers(queries: readonly string[]): Promise<void> {
  for (const sender of callers) {
    expect(await findFailures(sender, queries)).toEqual([])
  }
}

/** For searches of which there are so many of a kind that every other one may be of the one caller or the other. */
async function expectAnswersInTurn(queries: readonly string[]): Promise<void> {
  for (const [turn, sender] of callers.entries()) {
    const own = queries.filter((_, n) => n % callers.length === turn)
    expect(await findFailures(sender, own)).toEqual([])
  }
}

const row = (field: string, operator: string, value: string, n = 1) =>
  `f${n}=${encodeURIComponent(field)}&o${n}=${operator}&v${n}=${encodeURIComponent(value)}`

describe('every operator on every field is answered', () => {
  test.each(OPERATOR_NAMES)('%s', async (operator) => {
    // other names of a field are read where the row is, so that one operator has them all
    const names = operator === 'equals' ? NAMES : FIELDS
    const number = names.map((field) => row(field, operator, '1'))
    const words = names.map((field) => row(field, operator, 'a b,c'))
    expect(await findFailures(ANYONE, words)).toEqual([])
    expect(await findFailures(world.logins.insider, number)).toEqual([])
  })
})

const HOSTILE = [
  `' OR 1=1 --`,
  `"; DROP TABLE bugs; --`,
  `\\'"%_*?[a-z](){}|^$`,
  `a\u0000b`,
  `😀👩‍👩‍👧 İıſß`,
  `" OR body : x NEAR(`,
  `-"`,
  `*`,
  `ab*`,
  'é'.repeat(60),
  '9'.repeat(400),
  '-1e999',
  '%group.x%',
  '%user%',
  `\ud800`,
]

const ENCODED = HOSTILE.map((value) =>
  value === '\ud800' ? '%ED%A0%80' : encodeURIComponent(value),
)

describe('hostile texts are answered', () => {
  test('in every field', async () => {
    const operators = ['equals', 'substring', 'anywords', 'regexp', 'greaterthan', 'matches']
    await expectAnswersInTurn(
      NAMES.flatMap((field, place) =>
        ENCODED.filter((_, n) => n % 3 === place % 3).map(
          (value, n) => `f1=${field}&o1=${operators[(n + place) % operators.length]}&v1=${value}`,
        ),
      ),
    )
  })

  test('with every operator', async () => {
    const fields = [
      'short_desc',
      'longdesc',
      'content',
      'cc',
      'bug_id',
      'creation_ts',
      'flagtypes.name',
    ]
    await expectAnswersInTurn(
      OPERATOR_NAMES.flatMap((operator) =>
        fields.flatMap((field, place) =>
          ENCODED.filter((_, n) => n % 3 === place % 3).map(
            (value) => `f1=${field}&o1=${operator}&v1=${value}`,
          ),
        ),
      ),
    )
  })

  test('as parameters, names, operators, joiners, orders and quicksearches', async () => {
    await expectAnswersInTurn(
      ENCODED.flatMap((text, place) => [
        ...NAMES.filter((_, n) => n % 3 === place % 3).map((field) => `${field}=${text}`),
        `f1=${text}&o1=equals&v1=x`,
        `f1=bug_id&o1=${text}&v1=x`,
        `f1=bug_id&o1=equals&v1=1&j_top=${text}`,
        `id=1&order=${text}`,
        `id=1&short_desc_type=${text}`,
        `quicksearch=${text}`,
        `quicksearch=ALL%20${text}%20summary:${text}%20${text}:x`,
        `chfield=${text}&chfieldfrom=${text}&chfieldto=${text}&chfieldvalue=${text}`,
        `email1=${text}&emailtype1=regexp&emailcc1=1`,
        `product=x&${text}=x`,
      ]),
    )
  })
})

const many = <Item>(count: number, make: (n: number) => Item) =>
  Array.from({ length: count }, (_, n) => make(n + 1))

/** As many pairs as an address takes. */
function fitAddress(parts: readonly string[]): string {
  const fitting: string[] = []
  for (const part of parts) {
    if ([...fitting, part].join('&').length > 10_100) {
      break
    }
    fitting.push(part)
  }
  return fitting.join('&')
}

describe('large searches are answered', () => {
  const heavy = [
    'longdesc',
    'content',
    'flagtypes.name',
    'dependson',
    'see_also',
    'cc',
    'anything',
    'short_desc',
  ]
  const operatorOf: Record<string, string> = {
    content: 'matches',
    anything: 'changedto',
    dependson: 'changedfrom',
  }

  test.each(['AND', 'OR'])(
    'of hundreds of conditions joined by %s',
    async (joiner) => {
      await expectAnswers([
        `j_top=${joiner}&${fitAddress(many(320, (n) => `f${n}=cc&o${n}=equals&v${n}=x`))}`,
        `j_top=${joiner}&${fitAddress(many(320, (n) => `f${n}=tag&o${n}=regexp&v${n}=${n}`))}`,
        ...heavy.map(
          (field) =>
            `j_top=${joiner}&${fitAddress(many(320, (n) => `f${n}=${field}&o${n}=${operatorOf[field] ?? 'substring'}&v${n}=abc${n}&n${n}=1`))}`,
        ),
      ])
    },
    120_000,
  )

  test('of nested groups with heavy leaves', async () => {
    const nested = (depth: number, leaf: (n: number) => string) => {
      const open = many(depth, (n) => `f${n}=OP&j${n}=${n % 2 ? 'OR' : 'AND'}&n${n}=1&${leaf(n)}`)
      const close = many(depth, (n) => `f${900 + n}=CP`)
      return [...open, ...close].join('&')
    }
    await expectAnswers(
      [10, 19, 20, 21, 40].flatMap((depth) =>
        heavy.map((field) =>
          nested(depth, (n) =>
            row(field, operatorOf[field] ?? 'notequals', 'abc def', 100 + n * 2),
          ),
        ),
      ),
    )
  })

  test('of a thousand values and many words', async () => {
    const numbers = many(1000, String).join(',')
    const words = many(1000, (n) => `w${n}`).join('+')
    const fields = ['id', 'keywords', 'cc', 'short_desc', 'longdesc', 'status', 'tag', 'dependson']
    await expectAnswers([
      ...fields.flatMap((field) =>
        ['anyexact', 'anywords', 'nowords', 'allwordssubstr', 'equals'].flatMap((operator) => [
          `f1=${field}&o1=${operator}&v1=${numbers}`,
          `f1=${field}&o1=${operator}&v1=${words}`,
        ]),
      ),
      `quicksearch=${words}`,
      `quicksearch=${many(280, (n) => `w${n}`).join('+')}`,
      `quicksearch=${many(280, (n) => `w${n}`).join('|')}`,
      `id=${numbers}&order=bug_list`,
      `f1=content&o1=matches&v1=${many(100, (n) => `w${n}`).join('+')}&order=relevance`,
    ])
  })

  test('in order of relevance with many words, and in order of everything', async () => {
    const words = many(10, (n) => `word${n}`).join('+')
    const content = (n: number) => `f${n}=content&o${n}=matches&v${n}=${words}`
    await expectAnswers([
      ...[1, 2, 3, 4, 5, 10, 20].map(
        (count) => `${many(count, content).join('&')}&order=relevance`,
      ),
      `${content(1)}&order=relevance,${NAMES.join(',')}`,
      `${many(4, content).join('&')}&order=relevance&include_fields=_all`,
      `id=1&order=${NAMES.join(',')}&include_fields=_all`,
      `id=1&order=${NAMES.toReversed().join(',')}&include_fields=_all`,
    ])
  })

  test('of the longest address', async () => {
    const filler = (length: number) => 'x'.repeat(length)
    await expectAnswers([
      `summary=${filler(10_150)}`,
      `quicksearch=${filler(10_150)}`,
      `f1=content&o1=matches&v1=${filler(10_150)}`,
      `f1=short_desc&o1=regexp&v1=${'(a*)*'.repeat(1900)}`,
      `f1=short_desc&o1=regexp&v1=${'('.repeat(9900)}`,
      `quicksearch=${'('.repeat(9900)}`,
      `quicksearch=${'NOT%20'.repeat(1600)}x`,
      `quicksearch=${'-'.repeat(9900)}x`,
      `f1=longdesc&o1=regexp&v1=${encodeURIComponent('(x+x+)+y')}`,
    ])
  })
})
