/**
 * The word, then blanks, one of three signs, or both, then the digits. The form of the gap leaves one way to match
 * it, so that a hostile text costs linear time.
 */
const BUG_REFERENCE =
  /(?<![\p{L}\p{N}_])bug(?:[ \t]+(?:[-:#][ \t]*)?|[-:#][ \t]*)(\d{1,10})(?![\p{L}\p{N}_])/iu

/**
 * The ID of the bug that a text names first, as in `Bug 7: title` or `bug - 7`; null when it names none.
 */
export function findBugReference(text: string): number | null {
  const [, digits] = BUG_REFERENCE.exec(text) ?? []
  return digits === undefined ? null : Number(digits)
}
