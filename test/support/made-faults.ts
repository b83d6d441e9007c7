import { catalogue } from '../../src/platform/faults/catalogue.ts'
import type { Entry } from '../../src/platform/faults/entry.ts'
import type { FaultName } from '../../src/platform/faults/faults.ts'

const madeAs = new Map<string, Set<FaultName>>()

// answers have a number and a message, never the name: the Worker shares its modules with the tests,
// so that its catalogue can take down here which fault each message was made for
for (const [name, entry] of Object.entries<Entry<never>>(catalogue)) {
  const { code, message: write } = entry
  const message = (details: never) => {
    const text = write(details)
    const key = `${code} ${text}`
    madeAs.set(key, (madeAs.get(key) ?? new Set()).add(name as FaultName))
    return text
  }
  Object.defineProperty(entry, 'message', { value: message })
}

/** The faults that were made with this number and this message; several may have the same message. */
export function faultsMadeAs(code: number, message: string): readonly FaultName[] {
  return [...(madeAs.get(`${code} ${message}`) ?? [])]
}
