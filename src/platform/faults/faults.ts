import { catalogue } from './catalogue.ts'
import type { Entry, NoDetails, Status } from './entry.ts'

type Catalogue = typeof catalogue
export type FaultName = keyof Catalogue
type DetailsOf<Name extends FaultName> =
  Catalogue[Name] extends Entry<infer Details> ? Details : never

/** A refusal, thrown to be answered; `platform/http/response/on-fault.ts` presents it. */
export class Fault extends Error {
  readonly code: number
  readonly status: Status
  readonly fault: FaultName

  constructor(name: FaultName, entry: Entry<never>, message: string) {
    super(message)
    this.name = 'Fault'
    this.fault = name
    this.code = entry.code
    this.status = entry.status
  }
}

/**
 * Creates a fault of the catalogue: `throw fault('commentTooLong', { most: 65_535 })`. An unknown name and a
 * missing detail do not compile.
 */
export function fault<Name extends FaultName>(
  name: Name,
  ...[details]: DetailsOf<Name> extends NoDetails
    ? keyof DetailsOf<Name> extends never
      ? []
      : [DetailsOf<Name>]
    : [DetailsOf<Name>]
): Fault {
  const entry = catalogue[name] as Entry<unknown>
  return new Fault(name, entry, entry.message(details))
}

/** The name, number and HTTP status of every fault. */
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
