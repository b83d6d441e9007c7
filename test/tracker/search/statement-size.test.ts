import { describe, expect, test } from 'vitest'
import { allOf, sql } from '../../../src/platform/db/sql.ts'
import { assertFitsStatement, canRepeat, measureSearch } from '../../../src/tracker/search/size.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'

const conditionOf = (pieces: number) =>
  allOf(Array.from({ length: pieces }, (_, n) => sql`instr(bugs.summary_fold, ${`word ${n}`}) > 0`))

describe('the condition of a search', () => {
  test.each([
    [1, true],
    [100, true],
    [1000, false],
  ])('of %i pieces may stand in a statement several times: %s', (pieces, expected) => {
    const length = measureSearch(() => conditionOf(pieces), [], pieces)
    expect(canRepeat(length)).toBe(expected)
    expect(() => assertFitsStatement(length)).not.toThrow()
  })

  test('is not looked at when the search has few criteria', () => {
    expect(measureSearch(() => conditionOf(1000), [], 7)).toBe(0)
  })

  test.each(['AND', 'OR'])(
    'fits when it has few criteria, and all are of the longest: %s',
    async (joined) => {
      const { login } = await insertPerson()
      const rows = ['blocked', 'anything', 'see_also'].flatMap((field, kind) =>
        Array.from({ length: 5 }, (_, n) => {
          const row = 5 * kind + n
          return kind === 0
            ? `f${row}=${field}&o${row}=changedto&v${row}=${n}`
            : `f${row}=${field}&o${row}=changedby&v${row}=${n % 2 ? login : `%25${n}%25`}`
        }),
      )
      const query = `j_top=${joined}&limit=5&count_total=1&${rows.join('&')}`
      for (const order of ['', '&order=changeddate%20DESC']) {
        expect((await get(ANYONE, `/rest/bug?${query}${order}`)).status).toBe(200)
      }
    },
  )

  describe.each([
    ['+', 'AND'],
    ['+', 'OR'],
    ['', 'AND'],
    ['', 'OR'],
    ['-', 'AND'],
  ])('with words of content: %sword, %s', (sign, joined) => {
    const answerTo = (count: number, words: number, end: string) => {
      const rows = Array.from({ length: count }, (_, n) => {
        const value = Array.from({ length: words }, (_, word) => `${sign}word${n}x${word}`).join(
          ' ',
        )
        return `f${n}=content&o${n}=matches&v${n}=${encodeURIComponent(value)}`
      })
      return get(ANYONE, `/rest/bug?j_top=${joined}&${rows.join('&')}&${end}`)
    }
    const ENDS = ['limit=5&count_total=1', 'limit=5&order=changeddate', 'count_only=1']

    test.each([
      [1, 15],
      [2, 7],
      [3, 5],
      [5, 3],
      [7, 2],
      [15, 1],
    ])('fits when it has few: %i times %i', async (count, words) => {
      for (const end of ENDS) {
        expect((await answerTo(count, words, end)).status, end).toBe(200)
      }
    })

    test.each([1, 2, 3, 4, 5, 8, 10, 15])('fits or is refused, %i times 31', async (count) => {
      for (const end of ENDS) {
        const { status, body } = await answerTo(count, 31, end)
        expect([200, 32000], end).toContain(status === 200 ? 200 : body.code)
      }
    })
  })

  test.each([
    ['longdesc', 3],
    ['longdesc', 2],
    ['flagtypes.name', 3],
    ['flagtypes.name', 2],
  ])('is answered with letters outside ASCII on %s, %i words a row', async (field, size) => {
    const words =
      'ошибка при сохранении большого файла после обновления программы приложение'.split(' ')
    for (const operator of ['anywords', 'allwords', 'nowords']) {
      for (const joined of ['AND', 'OR']) {
        const rows = Array.from({ length: 5 }, (_, n) => {
          const some = Array.from({ length: size }, (__, word) => words[(n + word) % words.length])
          return `f${n}=${field}&o${n}=${operator}&v${n}=${encodeURIComponent(some.join(' '))}`
        })
        for (const end of ['limit=5', 'limit=5&count_total=1', 'count_only=1']) {
          const answer = await get(ANYONE, `/rest/bug?j_top=${joined}&${rows.join('&')}&${end}`)
          expect(answer.status, `${operator} ${joined} ${end}`).toBe(200)
        }
      }
    }
  })

  describe.each(['longdesc', 'flagtypes.name', 'attachments.filename', 'attachments.mimetype'])(
    'with the most letters outside ASCII on %s',
    (field) => {
      const letters = Array.from({ length: 40 }, (_, n) => String.fromCodePoint(0x430 + n))
      const words = Array.from({ length: 12 }, (_, n) => letters.slice(3 * n, 3 * n + 6).join(''))

      test.each(['substring', 'anywordssubstr', 'anywords', 'allwords', 'nowords'])(
        'is answered in one row, and answered or refused in many: %s',
        async (operator) => {
          const row = (value: string, n: number) =>
            `f${n}=${field}&o${n}=${operator}&v${n}=${encodeURIComponent(value)}`
          for (const value of [letters.join(''), words.join(' ')]) {
            const many = Array.from({ length: 15 }, (_, n) => row(value, n)).join('&')
            for (const end of ['limit=5', 'limit=5&count_total=1', 'count_only=1']) {
              expect(
                (await get(ANYONE, `/rest/bug?${row(value, 1)}&${end}`)).status,
                `${value} ${end}`,
              ).toBe(200)
              const { status, body } = await get(ANYONE, `/rest/bug?${many}&${end}`)
              expect([200, 32000], end).toContain(status === 200 ? 200 : body.code)
            }
          }
        },
      )
    },
  )

  test('fits with a hundred texts that the comments of a bug all have to contain', async () => {
    const rows = Array.from({ length: 100 }, (_, n) => `f${n}=longdesc&o${n}=substring&v${n}=t${n}`)
    for (const end of ['limit=5', 'limit=5&count_total=1', 'count_only=1']) {
      expect((await get(ANYONE, `/rest/bug?${rows.join('&')}&${end}`)).status, end).toBe(200)
    }
  })

  test('counts with its order, which stands in a statement twice', () => {
    const order = [conditionOf(100)]
    expect(measureSearch(() => sql`1`, [sql`bugs.id`], 1)).toBe(0)
    expect(canRepeat(measureSearch(() => sql`1`, order, 1))).toBe(true)
    expect(canRepeat(measureSearch(() => sql`1`, [...order, ...order, ...order], 1))).toBe(false)
    const long = measureSearch(() => sql`1`, [conditionOf(1500)], 1)
    expect(() => assertFitsStatement(long)).toThrow('one statement')
  })

  test('is rejected with 32000 when it is nested too deeply for the database', async () => {
    const { key } = await insertPerson()
    const rows = Array.from({ length: 50 }, (_, n) => {
      const field = ['keywords.count', 'blocked.count', 'short_desc', 'anything', 'qa_contact'][
        n % 5
      ]
      return n % 5 < 3
        ? `f${n}=${field}&o${n}=nowords&v${n}=${n}+x${n}&n${n}=1`
        : `f${n}=${field}&o${n}=changedafter&v${n}=2020-01-01`
    })
    for (const joined of ['AND', 'OR']) {
      const answer = await get({ key }, `/rest/bug?j_top=${joined}&limit=5&${rows.join('&')}`)
      expect([200, 1001, 32000]).toContain(answer.status === 200 ? 200 : answer.body.code)
    }
  })

  test('is rejected with 32000 when no statement can hold it', async () => {
    const length = measureSearch(() => conditionOf(5000), [], 5000)
    expect(() => assertFitsStatement(length)).toThrow('one statement')
    const rows = Array.from({ length: 100 }, (_, n) => `f${n}=blocked&o${n}=changedto&v${n}=${n}`)
    for (const query of [rows.join('&'), `count_only=1&${rows.join('&')}`]) {
      expectFault(await get(ANYONE, `/rest/bug?${query}`), 400, 32000, 'one statement')
    }
  })
})
