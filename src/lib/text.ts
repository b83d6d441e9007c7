/**
 * A nick inside a real name: a colon that follows no digit, and the word right behind it. The word ends
 * in a letter, digit or `_`, so that punctuation after it stays outside; marks belong to their letters.
 */
const NICK = /(?<!\p{Nd}):([\p{L}\p{M}\p{N}|._-]*[\p{L}\p{M}\p{N}_])/u

const ASCII = /^\p{ASCII}*$/u

/** The form in which names are compared and searched: compatibility-composed and lower-cased. */
export function fold(text: string): string {
  // ASCII is composed already, and finding that out is cheaper than composing it
  return (ASCII.test(text) ? text : text.normalize('NFKC')).toLowerCase()
}

/**
 * The names in a delimited parameter such as include_fields: each element, repeated or single, splits on
 * white space, `+` and `,`; empty names are dropped ("Conventions").
 */
export function commaList(values: string | readonly string[] | undefined): string[] {
  if (values === undefined) {
    return []
  }
  const elements = typeof values === 'string' ? [values] : values
  return elements.flatMap((element) => element.split(/[\s+,]+/)).filter((name) => name !== '')
}

/** Text for a one-line field: control characters and line breaks become spaces, both ends trimmed. */
export function cleanLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').trim()
}

/**
 * Text for a field of many lines: every line break becomes LF, NUL is removed, white space at the very
 * end is cut. White space at the start is kept, since it may be an indented first line.
 */
export function cleanBody(text: string): string {
  return text.replaceAll('\0', '').replace(/\r\n?/g, '\n').trimEnd()
}

/** Length in code points: what limits on characters count. */
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

/** The nick a real name carries, as `jroe` in `Jane Roe [:jroe]`; null when it carries none. */
export function nickIn(realName: string): string | null {
  return NICK.exec(realName)?.[1] ?? null
}

/** The part of a login before its first `@`; the whole login when it has none. */
export function localPart(login: string): string {
  const at = login.indexOf('@')
  return at === -1 ? login : login.slice(0, at)
}
