/**
 * A nick in a real name: a colon that follows no digit, and the word right behind it. The word ends in a
 * letter, digit or `_`, so that it excludes punctuation; combining marks belong to their letters.
 */
const NICK = /(?<!\p{Nd}):([\p{L}\p{M}\p{N}|._-]*[\p{L}\p{M}\p{N}_])/u

const ASCII = /^\p{ASCII}*$/u

/** Folds a text for comparison and search: NFKC and lower case. */
export function fold(text: string): string {
  // ASCII is in NFKC already, and this test is cheaper than the normalization
  return (ASCII.test(text) ? text : text.normalize('NFKC')).toLowerCase()
}

/** Folds a name as a client gives it, without the white space around it. */
export function foldName(name: string): string {
  return fold(name.trim())
}

/**
 * The names in a parameter such as include_fields, given once or repeatedly: each value is split at white space, `+`
 * and `,`, and empty names are dropped.
 */
export function commaList(values: string | readonly string[] | undefined): string[] {
  if (values === undefined) {
    return []
  }
  const texts = typeof values === 'string' ? [values] : values
  return texts.flatMap((text) => text.split(/[\s+,]+/)).filter((name) => name !== '')
}

/**
 * Cleans text for a field of one line: line breaks, control and line separator characters become
 * spaces, both ends are trimmed.
 */
export function cleanLine(text: string): string {
  return text.replace(/\r\n|[\p{Cc}\u2028\u2029]/gu, ' ').trim()
}

/**
 * Cleans text for a field of many lines: line breaks become LF, NUL is removed, the end is trimmed. White
 * space at the start stays, because it may indent the first line.
 */
export function cleanBody(text: string): string {
  return text.replaceAll('\0', '').replace(/\r\n?/g, '\n').trimEnd()
}

/** A value of any form as a text; an object as JSON, because it may have members in place of the functions of a text. */
export function textOfAny(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** The length of a text in code points, which is the unit of all limits on characters. */
export function lengthOf(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) {
      at += 1
    }
    length += 1
  }
  return length
}

/** The nick in a real name, as `jroe` in `Jane Roe [:jroe]`; null when there is none. */
export function parseNick(realName: string): string | null {
  return NICK.exec(realName)?.[1] ?? null
}

/** The part of a login ahead of its first `@`; the whole login when it has none. */
export function localPart(login: string): string {
  const at = login.indexOf('@')
  return at === -1 ? login : login.slice(0, at)
}

/** The text of a parameter that nobody has validated yet. */
export function textOrBlank(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The longest of some texts, the first of several; the empty text for none. */
export function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}
