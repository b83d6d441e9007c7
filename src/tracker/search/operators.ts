/**
 * What kind of comparison an operator is:
 * `text` compares with the whole text, `list` with each element of a list, `words` with the words of the text,
 * `pattern` with a regular expression, `order` by size, `presence` with nothing, `account` is about people,
 * `change` is about the history of the field, `fulltext` about words in summary and comments.
 */
type OperatorKind =
  | 'text'
  | 'list'
  | 'words'
  | 'pattern'
  | 'order'
  | 'presence'
  | 'account'
  | 'change'
  | 'fulltext'

type OperatorEntry = {
  readonly kind: OperatorKind
  /** The operator whose negation this one is. */
  readonly positive?: string
  /** It compares with nothing, so that a row without a value counts. */
  readonly needsNoValue?: true
}

/** The operators of a search, by the names that clients send. */
export const OPERATORS = {
  equals: { kind: 'text' },
  notequals: { kind: 'text', positive: 'equals' },
  anyexact: { kind: 'list' },
  substring: { kind: 'text' },
  casesubstring: { kind: 'text' },
  notsubstring: { kind: 'text', positive: 'substring' },
  anywordssubstr: { kind: 'words' },
  allwordssubstr: { kind: 'words' },
  nowordssubstr: { kind: 'words', positive: 'anywordssubstr' },
  anywords: { kind: 'words' },
  allwords: { kind: 'words' },
  nowords: { kind: 'words', positive: 'anywords' },
  regexp: { kind: 'pattern' },
  notregexp: { kind: 'pattern', positive: 'regexp' },
  lessthan: { kind: 'order' },
  lessthaneq: { kind: 'order' },
  greaterthan: { kind: 'order' },
  greaterthaneq: { kind: 'order' },
  isempty: { kind: 'presence', positive: 'isnotempty', needsNoValue: true },
  isnotempty: { kind: 'presence', needsNoValue: true },
  isdisabled: { kind: 'account', needsNoValue: true },
  isnotdisabled: { kind: 'account', needsNoValue: true },
  matches: { kind: 'fulltext' },
  notmatches: { kind: 'fulltext', positive: 'matches' },
  everchanged: { kind: 'change', needsNoValue: true },
  changedbefore: { kind: 'change' },
  changedafter: { kind: 'change' },
  changedfrom: { kind: 'change' },
  changedto: { kind: 'change' },
  changedby: { kind: 'change' },
} as const satisfies Readonly<Record<string, OperatorEntry>>

export type Operator = keyof typeof OPERATORS

type OperatorOf<Kind extends OperatorKind> = {
  [Name in Operator]: (typeof OPERATORS)[Name]['kind'] extends Kind ? Name : never
}[Operator]

/** The operators that are the negation of no other one. */
export type PositiveOperator = {
  [Name in Operator]: (typeof OPERATORS)[Name] extends { positive: string } ? never : Name
}[Operator]

export type ChangeOperator = OperatorOf<'change'>

/** What the value of a row is compared with. */
export type RowOperator = Exclude<PositiveOperator, OperatorOf<'change' | 'fulltext'>>

/** Other names of operators. */
const SYNONYMS: Readonly<Record<string, Operator>> = { substr: 'substring', exact: 'equals' }

/** The operator of this name, whose case counts; undefined for any other text. */
export function parseOperator(name: string): Operator | undefined {
  if (Object.hasOwn(OPERATORS, name)) {
    return name as Operator
  }
  return Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined
}

export function kindOfOperator(operator: Operator): OperatorKind {
  return OPERATORS[operator].kind
}

/** Whether a condition with this operator needs a value. */
export function needsValue(operator: Operator): boolean {
  return !('needsNoValue' in OPERATORS[operator])
}

/** Whether the operator compares with the whole value, so that the empty text means something. */
export function comparesWhole(operator: Operator): boolean {
  return operator === 'equals' || operator === 'notequals' || operator === 'anyexact'
}

/** The operator without its negation, and whether it had one: `notequals` is not `equals`. */
export function positiveForm(operator: Operator): {
  positive: PositiveOperator
  isNegated: boolean
} {
  const entry = OPERATORS[operator]
  return 'positive' in entry
    ? { positive: entry.positive, isNegated: true }
    : { positive: operator as PositiveOperator, isNegated: false }
}

export function isChangeOperator(operator: Operator): operator is ChangeOperator {
  return kindOfOperator(operator) === 'change'
}

/** Whether a row can be compared by the operator: others ask for changes, or for words in all texts. */
export function isRowOperator(operator: PositiveOperator): operator is RowOperator {
  return !['change', 'fulltext'].includes(kindOfOperator(operator))
}
