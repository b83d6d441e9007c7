import type { SQL } from 'drizzle-orm'
import { limitTo, sql } from '../../db/sql.ts'
import { lengthOf } from '../../lib/text.ts'

/** D1 rejects GLOB patterns over 50 bytes. */
const MAX_PATTERN_BYTES = 50
/** Places of a word in one text that are looked at, since each costs a walk through the text. */
const MAX_PLACES = 1000

/** Code points from U+0080 that are no letters or digits; all others count as letters. */
const SIGNS = JSON.stringify([
  [0x80, 0xa9],
  [0xab, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x2000, 0x206f],
  [0x20a0, 0x20cf],
  [0x2190, 0x2bff],
  [0x2e00, 0x2e7f],
  [0x3000, 0x303f],
  [0xfe10, 0xfe6f],
  [0x1f000, 0x1faff],
])

/**
 * The condition that the folded word occurs in a folded text where no letter or digit stands beside it. The
 * pattern takes letters outside ASCII for signs, so that a text with such letters is looked at again.
 */
export function wholeWordCondition(folded: SQL, word: string): SQL {
  if (word.includes('\0')) {
    // no text holds NUL, and a pattern ends there
    return sql`0`
  }
  const pattern = `*[^a-z0-9]${word.replace(/[*?[]/g, '[$&]')}[^a-z0-9]*`
  const exact = exactCondition(folded, word)
  return new TextEncoder().encode(pattern).length <= MAX_PATTERN_BYTES
    ? sql`((' ' || ${folded} || ' ') GLOB ${pattern}
        AND (length(${folded}) = octet_length(${folded}) OR ${exact}))`
    : sql`(instr(${folded}, ${word}) > 0 AND ${exact})`
}

function exactCondition(folded: SQL, word: string): SQL {
  return sql`EXISTS (WITH RECURSIVE place(at) AS (
      SELECT instr(${folded}, ${word})
      UNION ALL
      SELECT at + instr(substr(${folded}, at + 1), ${word}) FROM place
        WHERE at > 0 AND instr(substr(${folded}, at + 1), ${word}) > 0
      ${limitTo(MAX_PLACES)})
    SELECT 1 FROM (SELECT at, unicode(substr(' ' || ${folded}, at, 1)) AS ahead,
        unicode(substr(${folded} || ' ', at + ${lengthOf(word)}, 1)) AS behind FROM place)
      WHERE at > 0 AND ${isSign('ahead')} AND ${isSign('behind')})`
}

/** The condition that a code point is no letter, digit or other number. */
export function isSign(column: string): SQL {
  const code = sql.raw(column)
  return sql`(${code} < 128 AND char(${code}) NOT GLOB '[a-z0-9]' OR EXISTS (
    SELECT 1 FROM json_each(${SIGNS}) s WHERE ${code} BETWEEN s.value ->> 0 AND s.value ->> 1))`
}
