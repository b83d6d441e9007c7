import { catalogue } from './fault-catalogue.ts'
import type { Entry, None, Status } from './fault-entry.ts'

type Catalogue = typeof catalogue
export type FaultName = keyof Catalogue
type DetailsOf<Name extends FaultName> =
  Catalogue[Name] extends Entry<infer Details> ? Details : never

/** A refusal on its way to the caller; `http/on-fault.ts` turns it into the error object. */
export class Fault extends Error {
  readonly code: number
  readonly status: Status
  readonly fault: FaultName

  constructor(name: FaultName, chosen: Entry<never>, message: string) {
    super(message)
    this.name = 'Fault'
    this.fault = name
    this.code = chosen.code
    this.status = chosen.status
  }
}

/**
 * Makes the fault of that name: `throw fault('commentTooLong', { most: 65_535 })`. An unknown name or a
 * missing detail does not compile.
 */
export function fault<Name extends FaultName>(
  name: Name,
  ...[details]: DetailsOf<Name> extends None
    ? keyof DetailsOf<Name> extends never
      ? []
      : [DetailsOf<Name>]
    : [DetailsOf<Name>]
): Fault {
  const chosen = catalogue[name] as Entry<unknown>
  return new Fault(name, chosen, chosen.message(details))
}

/** The numbers that some fault can answer, for the description of the API and its tests. */
export function faultCodes(): { name: FaultName; code: number; status: number }[] {
  return Object.entries(catalogue).map(([name, { code, status }]) => ({
    name: name as FaultName,
    code,
    status,
  }))
}

/** A fault as the description of the API shows it: details of its message stand in braces. */
export function describeFault(name: FaultName): { code: number; status: Status; message: string } {
  const { code, status, message } = catalogue[name] as Entry<unknown>
  return { code, status, message: message(NAMED_DETAILS) }
}

const NAMED_DETAILS: unknown = new Proxy({}, { get: (_, detail) => `{${String(detail)}}` })
