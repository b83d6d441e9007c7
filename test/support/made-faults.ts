import type { AnyFault } from '../../src/platform/faults/fault.ts'
import { faultKinds } from './fault-kinds.ts'

const madeAs = new Map<string, Set<AnyFault>>()

// answers have a number and a message, never the name: the Worker shares its modules with the tests,
// so that its faults can take down here which of them each message was made for
for (const kind of faultKinds) {
  const { code, message: write } = kind
  const message = (details: never) => {
    const text = write(details)
    const key = `${code} ${text}`
    madeAs.set(key, (madeAs.get(key) ?? new Set()).add(kind))
    return text
  }
  Object.defineProperty(kind, 'message', { value: message })
}

/** The faults that were made with this number and this message; several may have the same message. */
export function faultsMadeAs(code: number, message: string): readonly AnyFault[] {
  return [...(madeAs.get(`${code} ${message}`) ?? [])]
}
