import { bugs } from '../../../platform/db/schema/bugs.ts'
import { sql } from '../../../platform/db/sql.ts'
import { fold, lengthOf } from '../../../platform/lib/text.ts'
import { kindOf, type Operator } from '../operators.ts'
import type { TextCandidates } from './condition.ts'
import { wordsOf } from './value-test.ts'

/** The part of a text that a query of the index holds: every three characters of it cost a list. */
const INDEXED_CHARACTERS = 60

/** A column of `bugs` whose parts of three characters are indexed. */
export type IndexedText = 'summary_fold' | 'whiteboard_fold' | 'alias_fold' | 'url_fold'

/**
 * Returns a function that selects the bugs whose text contains what an operator asks for, from the index of three
 * characters; undefined when that is shorter, or the operator asks for no text.
 */
export function textCandidatesOf(
  text: IndexedText,
): (operator: Operator, values: readonly string[]) => TextCandidates | undefined {
  const table = sql.raw(text === 'summary_fold' ? 'bugs_summary_fts' : 'bugs_texts_fts')
  return (operator, values) => {
    const texts = requiredTexts(operator, values).map(fold)
    if (texts.length === 0 || texts.some((each) => lengthOf(each) < 3 || each.includes('\0'))) {
      return undefined
    }
    // a text is found with its punctuation, but not its case
    const isExact =
      operator === 'substring' && texts.every((each) => lengthOf(each) <= INDEXED_CHARACTERS)
    const [only, ...others] = texts.map((each) => `${text} : ${phraseOf(startOf(each))}`)
    if (others.length > 0) {
      return {
        isExact,
        select: sql`SELECT f.rowid FROM json_each(${JSON.stringify([only, ...others])}) r
          CROSS JOIN ${table} f WHERE f.${table} MATCH r.value`,
      }
    }
    const condition = sql`f.${table} MATCH ${only}`
    return {
      isExact,
      select: sql`SELECT f.rowid FROM ${table} f WHERE ${condition}`,
      stream: {
        from: sql`${table} f CROSS JOIN bugs ON ${bugs.id} = f.rowid`,
        condition,
        id: sql`f.rowid`,
      },
    }
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
