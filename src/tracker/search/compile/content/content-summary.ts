import type { SQL } from 'drizzle-orm'
import { limitTo, sql } from '../../../../platform/db/sql.ts'
import { isSign, matchesPattern } from '../whole-word.ts'

/** Places of a word in one summary that are looked at. */
const MAX_PLACES = 1000

/**
 * The condition that the words of the term `t` stand side by side in a folded text, with nothing but signs
 * between them. A walk begins at the character ahead of each place of the first word: it passes signs one by
 * one, and takes a word behind a sign. One word of ASCII in a text of ASCII is compared in a fifth of the time.
 */
export function summaryWordsCondition(folded: SQL): SQL {
  const first = sql`(t.value ->> 'first')`
  const isPlain = sql`t.value ->> 'pattern' IS NOT NULL AND octet_length(${folded}) = length(${folded})`
  return sql`(CASE WHEN instr(${folded}, ${first}) = 0 THEN 0
    WHEN ${isPlain} THEN ${matchesPattern(folded, sql`(t.value ->> 'pattern')`)} ELSE EXISTS (
    WITH RECURSIVE place(at) AS (
      SELECT instr(${folded}, ${first})
      UNION ALL
      SELECT at + instr(substr(${folded}, at + 1), ${first}) FROM place
        WHERE instr(substr(${folded}, at + 1), ${first}) > 0
      ${limitTo(MAX_PLACES)}),
    walk(n, rest, code, is_behind_sign) AS (
      SELECT 0, substr(' ' || ${folded} || ' ', at), unicode(substr(' ' || ${folded}, at, 1)), 0 FROM place
      UNION ALL
      SELECT n, substr(rest, 2), unicode(substr(rest, 2, 1)), 1 FROM walk WHERE ${isSign('code')}
      UNION ALL
      SELECT n + 1, substr(rest, length(w.value) + 1), unicode(substr(rest, length(w.value) + 1, 1)), 0
        FROM walk CROSS JOIN json_each(t.value -> 'words') w
        WHERE is_behind_sign = 1 AND w.key = n AND substr(rest, 1, length(w.value)) = w.value)
    SELECT 1 FROM walk WHERE n = (t.value ->> 'size') AND (is_behind_sign OR (t.value ->> 'isPrefix'))) END)`
}
