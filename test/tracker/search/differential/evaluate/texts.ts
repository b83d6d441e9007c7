/** Texts are compared without regard to case, over Unicode; accents count. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

export function isSameText(a: string, b: string): boolean {
  return foldText(a) === foldText(b)
}

export function hasText(text: string, part: string): boolean {
  return foldText(text).includes(foldText(part))
}

/** The words of a value: what stands between spaces and commas. */
export function splitWords(value: string): string[] {
  return value.split(/[\s,]+/).filter((word) => word !== '')
}

/** Whether the word occurs with no letter and no digit next to it. */
export function hasWholeWord(text: string, word: string): boolean {
  const [inside, part] = [foldText(text), foldText(word)]
  for (let at = inside.indexOf(part); at !== -1; at = inside.indexOf(part, at + 1)) {
    const before = [...inside.slice(0, at)].at(-1) ?? ''
    const [after = ''] = inside.slice(at + part.length)
    if (!isWordCharacter(before) && !isWordCharacter(after)) {
      return true
    }
  }
  return false
}

export function isWordCharacter(character: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(character)
}

/** Alphabetical order of folded texts, by code points as databases have it. */
export function compareTexts(a: string, b: string): number {
  const [left, right] = [[...foldText(a)], [...foldText(b)]]
  for (let n = 0; n < Math.min(left.length, right.length); n += 1) {
    const difference = (left[n]?.codePointAt(0) ?? 0) - (right[n]?.codePointAt(0) ?? 0)
    if (difference !== 0) {
      return difference
    }
  }
  return left.length - right.length
}

const MAX_PATTERN_LENGTH = 255

/** The pattern as a test of texts; null when it is invalid. Only for patterns that RE2 reads as JavaScript does. */
export function readPattern(source: string): RegExp | null {
  if (source.length > MAX_PATTERN_LENGTH) {
    return null
  }
  try {
    return new RegExp(source, 'iu')
  } catch {
    return null
  }
}
