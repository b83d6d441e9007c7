import { cleanLine, lengthOf } from '../lib/text.ts'
import { type Fault, fault, invalidParameter, nameTaken, valueBlank } from './fault.ts'

/** Refuses a name that another object has: `sameName` are those with the name, perhaps the own one. */
export function assertNameFree(
  kind: string,
  name: string,
  sameName: readonly { readonly id: number }[],
  ownId?: number,
): void {
  if (sameName.some(({ id }) => id !== ownId)) {
    throw fault(nameTaken, { kind, name })
  }
}

/** Refuses a list that names too many things; `things` completes "may name at most 500 …". */
export function assertAtMost(most: number, count: number, field: string, things: string): void {
  if (count > most) {
    throw invalidParameter(field, `may name at most ${most} ${things}`)
  }
}

export function requireMaxLength(field: string, text: string, maxLength: number): string {
  if (lengthOf(text) > maxLength) {
    throw invalidParameter(field, `may have at most ${maxLength} characters`)
  }
  return text
}

/** One line that says something. */
export function requireLine(
  field: string,
  text: string,
  maxLength: number,
  blank: () => Fault = () => fault(valueBlank, { field }),
): string {
  const line = cleanLine(text)
  if (line === '') {
    throw blank()
  }
  return requireMaxLength(field, line, maxLength)
}
