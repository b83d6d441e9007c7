import { fault, parameterMissing, valueBlank } from '../../platform/faults/fault.ts'
import { cleanBody, cleanLine, fold, lengthOf } from '../../platform/lib/text.ts'
import { userUnknown } from '../users/faults.ts'
import { componentNameTooLong } from './faults.ts'
import type { ComponentInput } from './shapes.ts'
import {
  type ComponentReferences,
  type ComponentState,
  type NamedPerson,
  sortByLogin,
} from './state.ts'

const MAX_NAME_LENGTH = 64

/** What a decision about a component needs beside its values. */
type ComponentContext = ComponentReferences & {
  /** The default type of the product. */
  readonly productType: string
  /** What a new component has when the request says nothing; without it, the request has to. */
  readonly defaultTeamName?: string | undefined
}

/** Applies the input to the state of a component; `before` is null for a new one. */
export function decideComponent(
  before: ComponentState | null,
  input: ComponentInput,
  context: ComponentContext,
): ComponentState {
  return {
    name: input.name === undefined && before ? before.name : parseName(input.name),
    description: cleanBody(requireText('description', input.description, before?.description)),
    isActive: input.is_active ?? before?.isActive ?? true,
    sortKey: input.sort_key ?? before?.sortKey ?? 0,
    type:
      input.default_bug_type === undefined ? (before?.type ?? null) : decideType(input, context),
    assignee: decideAssignee(input, before, context),
    qaContact: decidePerson(input.default_qa_contact, before?.qaContact ?? null, context),
    triageOwner: decidePerson(input.triage_owner, before?.triageOwner ?? null, context),
    teamName: cleanLine(
      requireText('team_name', input.team_name, before?.teamName ?? context.defaultTeamName),
    ),
    template: cleanBody(
      input.bug_description_template === undefined
        ? (before?.template ?? '')
        : (input.bug_description_template ?? ''),
    ),
    cc: input.default_cc === undefined ? (before?.cc ?? []) : decideCc(input.default_cc, context),
  }
}

function parseName(value: string | undefined): string {
  const name = cleanLine(requireText('name', value, undefined))
  if (lengthOf(name) > MAX_NAME_LENGTH) {
    throw fault(componentNameTooLong)
  }
  return name
}

/** A component from before a value was required keeps it blank, but no update blanks it. */
function requireText(field: string, value: string | undefined, before: string | undefined): string {
  if (value === undefined) {
    if (before === undefined) {
      throw fault(parameterMissing, { field })
    }
    return before
  }
  if (value.trim() === '') {
    throw fault(valueBlank, { field })
  }
  return value
}

/** A type that does not exist or equals that of the product is not stored: the product decides. */
function decideType(
  input: ComponentInput,
  { types, productType }: ComponentContext,
): ComponentState['type'] {
  const [type] = types
  const isOverride = type !== undefined && fold(type.name) !== fold(productType)
  return input.default_bug_type && isOverride ? type : null
}

function decideAssignee(
  input: ComponentInput,
  before: ComponentState | null,
  references: ComponentReferences,
): NamedPerson {
  const login = requireText('default_assignee', input.default_assignee, before?.assignee.login)
  return input.default_assignee === undefined && before
    ? before.assignee
    : requirePerson(login, references)
}

function decidePerson(
  value: string | null | undefined,
  before: NamedPerson | null,
  references: ComponentReferences,
): NamedPerson | null {
  if (value === undefined) {
    return before
  }
  return value === null || value.trim() === '' ? null : requirePerson(value, references)
}

function decideCc(logins: readonly string[], references: ComponentReferences): NamedPerson[] {
  const people = logins.map((login) => requirePerson(login, references))
  return sortByLogin([...new Map(people.map((each) => [each.id, each])).values()])
}

function requirePerson(login: string, { people }: ComponentReferences): NamedPerson {
  const person = people.find(({ loginFold }) => loginFold === fold(login.trim()))
  if (person === undefined) {
    throw fault(userUnknown, { login })
  }
  return { id: person.id, login: person.login }
}
