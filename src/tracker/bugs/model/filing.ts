import type { bugs } from '../../../platform/db/schema/bugs.ts'
import type {
  InputShape,
  KnownOf,
  NamedValues,
  ParsedInput,
  Reads,
  RequestSite,
} from './capability.ts'
import type { ListEdit } from './decision.ts'
import type { PeopleByLogin } from './field-values.ts'
import type { GroupControl } from './group-controls.ts'

/** A new bug as far as it has been decided before its lists. */
export type NewBugDraft = {
  readonly product: { readonly name: string; readonly classificationId: number }
  readonly controls: readonly GroupControl[]
  /** The people whom the component puts on the CC list. */
  readonly componentCc: readonly number[]
  /** Whether the caller may edit any bug of the product. */
  readonly editBugs: boolean
  readonly row: typeof bugs.$inferInsert
}

/** One request to file a bug, with everything that was read for it. */
export type FilingRequest<Input = NamedValues, Known = NamedValues> = RequestSite & {
  readonly input: Input
  readonly known: Known
  readonly people: PeopleByLogin
  readonly draft: NewBugDraft
}

/** What a new bug begins with by the decision of one capability. */
export type NewBugLists = {
  readonly groupIds?: readonly number[]
  readonly ccIds?: readonly number[]
  readonly keywordIds?: readonly number[]
  /** Lists that mean something for other bugs too, and custom fields. */
  readonly edits?: readonly ListEdit[]
}

type FilingCapabilityOf<Shape, Input, Loaded, Known> = {
  /** The parameters of Create Bug that belong to this capability, with what they accept. */
  readonly input: Shape
  /** The logins that the input names; they are looked up in one select for all capabilities. */
  logins?(input: Input): readonly string[]
  /** Selects what the decision needs. */
  load?(site: RequestSite, input: Input): Loaded
  /** Decides what the new bug begins with. Pure. */
  decide(request: FilingRequest<Input, Known>): NewBugLists
}

/** One list, or kind of field, that a bug can be filed with: a row in the table of Create Bug. */
export type FilingCapability = FilingCapabilityOf<InputShape, NamedValues, Reads, NamedValues>

/** Checks a capability against its own types and forgets them, as `capability` does for Update Bug. */
export function filingCapability<
  Shape extends InputShape,
  Loaded extends Reads = Record<never, never>,
>(own: FilingCapabilityOf<Shape, ParsedInput<Shape>, Loaded, KnownOf<Loaded>>): FilingCapability {
  return own
}
