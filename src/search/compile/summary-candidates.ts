import { bugs } from '../../db/schema/bugs.ts'
import { sql } from '../../db/sql.ts'
import { fold, lengthOf } from '../../lib/text.ts'
import { kindOf, type Operator } from '../operators.ts'
import type { TextCandidates } from './single-value.ts'
import { wordsOf } from './value-test.ts'

/** The part of a text that a query of the index holds: every three characters of it cost a list. */
const INDEXED_CHARACTERS = 60

/**
 * Selects the bugs whose summary contains the texts that an operator asks for, from the index of three
 * characters; undefined when a text is shorter, or the operator asks for no text.
 */
export function summaryCandidates(
  operator: Operator,
  values: readonly string[],
): TextCandidates | undefined {
  const texts = requiredTexts(operator, values).map(fold)
  if (texts.length === 0 || texts.some((text) => lengthOf(text) < 3 || text.includes('\0'))) {
    return undefined
  }
  const [only, ...others] = texts.map((text) => phraseOf(startOf(text)))
  if (others.length > 0) {
    return {
      select: sql`SELECT f.rowid FROM json_each(${JSON.stringify([only, ...others])}) r
        CROSS JOIN bugs_summary_fts f WHERE f.summary_fold MATCH r.value`,
    }
  }
  const condition = sql`f.summary_fold MATCH ${only}`
  return {
    select: sql`SELECT f.rowid FROM bugs_summary_fts f WHERE ${condition}`,
    stream: {
      from: sql`bugs_summary_fts f CROSS JOIN bugs ON ${bugs.id} = f.rowid`,
      condition,
      id: sql`f.rowid`,
    },
  }
}

/** Texts of which every match has one. */
function requiredTexts(operator: Operator, values: readonly string[]): readonly string[] {
  switch (operator) {
    case 'equals':
    case 'anyexact':
    case 'substring':
    case 'casesubstring':
      return values
    case 'allwords':
    case 'allwordssubstr':
      return wordsOf(values)
        .toSorted((a, b) => lengthOf(b) - lengthOf(a))
        .slice(0, 1)
    default:
      return kindOf(operator) === 'words' ? wordsOf(values) : []
  }
}

function startOf(text: string): string {
  return [...text].slice(0, INDEXED_CHARACTERS).join('')
}

/** A text as a full-text query that means just this text. */
export function phraseOf(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
