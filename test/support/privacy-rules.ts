/** The names under which a comment or an attachment is private: in rows, in the API, and in the old XML. */
const NAME = String.raw`\b(?:isPrivate|is_private)\b`
const VALUE = String.raw`(?:\w+\??\.)*${NAME}`
/** What a name may be followed by that takes it out of an object under another one. */
const TAKEN = String.raw`(?!boolean\b)\w+(?: = [^,{}]+)?[^{}]*\} *(?:=[^=>]|(?::[^=]*)?\)(?::[^={]*)? *=>)`

/** Functions that make a question of it. */
const COMPARES =
  '(?:eq|ne|is|not|inArray|notInArray|if|while|switch|Number|Boolean|String|iif|sum|max|min|total)'

/** The forms in which privacy is handed on, under its own name, to what decides. */
const HANDED_ON = [
  // texts, which are lists of fields; a member by a text is not one
  String.raw`(?<=[\s,({:]|(?<!\w)\[)'[\w,. ]*${NAME}[\w,. ]*'`,
  `(?<=name=)"is_private"`,
  // members, and a constant of the same name with a value that is looked at by itself
  String.raw`${NAME}\??:(?!\u0000? ${TAKEN})`,
  String.raw`\bconst isPrivate =(?=\u0000)`,
  String.raw`[{,]\s*isPrivate(?=\s*[,}])`,
  // its value, or none for a thing without it
  String.raw`(?<=\u0000 )${VALUE}(?: \?\? (?:\w+\??\.)*(?:private|is_private))?(?: \?\? false)?(?=\s*(?:[,}\n]|$))`,
  // an argument, of a function that does not compare
  String.raw`(?<=(?<!\b${COMPARES}\([^()]*)(?:\b(?!${COMPARES}\()\w+\(|, ))${VALUE}(?=[,)])`,
  // columns of a select and of an insert
  String.raw`(?<=\n\s*)\w+\.isPrivate(?=,\n)`,
  String.raw`(?<=(?:SELECT |, *|,\n\s*)(?:\w+\.)?)(?:\$\{${VALUE}\}|is_private\b)(?=,|\)| FROM\b)`,
  String.raw`sql(?:<[^>]*>)?\`(?:\$\{${VALUE}\}|\w+\.is_private)\``,
  String.raw`columnName\(${VALUE}\)`,
  // what shows it
  String.raw`isShown=\{${VALUE}\}`,
  String.raw`isprivate: Number\(${VALUE}\)`,
].map((form) => new RegExp(form, 'g'))

/** Fields of history that only some may see. The hours that are left follow from the status, too. */
const FIELD = String.raw`'(?:(?:longdescs|attachments)\.isprivate|(?:estimated|work)_time)'`

/** Questions in forms that are handed on elsewhere. */
const DISGUISED = new RegExp(
  [
    String.raw`\b(?:const|let) \w+ = '(?:isPrivate|is_private)'`,
    String.raw`\bcase (?:\w+\??\.)+(?:isPrivate|is_private):`,
    String.raw`columnName\((?:\w+\.)*isPrivate\)\} *(?:[=<>]|IS\b|IN\b)+ *\(?\d`,
    `[=!]== *${FIELD}`,
    `${FIELD} *[=!]==`,
  ].join('|'),
)

/** Questions about roles, and about the fields that only some may see. */
const ROLES = new RegExp(
  [
    String.raw`\bisInsider\b(?!:)`,
    String.raw`[{,]\s*insider\b`,
    String.raw`(["'\`])(?:insider|timetracking)\1`,
    String.raw`\bIN \([^()]*'(?:estimated_time|remaining_time|work_time)'`,
    String.raw`(?<![=!])(?:=|<>) *'(?:longdescs\.isprivate|(?:estimated|remaining|work)_time)'`,
  ].join('|'),
  'g',
)

/**
 * The lines of code that decide by themselves who may know of something private: they ask for a role, or do anything
 * else with privacy than hand it on.
 */
export function findPrivacyRules(code: string): string[] {
  const marked = code.replace(
    new RegExp(`(?:${NAME}\\??:|\\bconst isPrivate =)(?= )`, 'g'),
    '$&\u0000',
  )
  const left = HANDED_ON.reduce((text, form) => text.replace(form, ''), marked)
  const used = new RegExp(`${ROLES.source}|${NAME}`)
  return [
    ...left.split('\n').filter((line) => used.test(line)),
    ...code.split('\n').filter((line) => DISGUISED.test(line)),
  ]
}

/** What the text of a comment travels with, or which condition it stands below. */
const GUARDED = /\b(?:isPrivate|commentPrivacy|visibleCommentCondition|visible)\b/

/**
 * The parts of a file, from one line at its left edge to the next, that read the text of comments neither with its
 * privacy nor below a condition on who sees it.
 */
export function findUnguardedTexts(code: string): string[] {
  const tables = ['comments', ...code.matchAll(/\b(\w+) = aliasColumns\(comments,/g)].map(
    (table) => (typeof table === 'string' ? table : table[1]),
  )
  const table = `(?:${tables.join('|')})\\b`
  const reads = new RegExp(
    [
      `\\b${table}(?:\\.body\\b|\\['body'\\])`,
      `\\bpick\\(${table},[^)]*'body'`,
      `\\{[^{}]*\\bbody\\b[^{}]*\\} = ${table}`,
    ].join('|'),
  )
  return code.split(/\n(?=[\w/])/).filter((part) => reads.test(part) && !GUARDED.test(part))
}
