import { fault } from '../faults.ts'
import { cleanBody, cleanLine, fold, lengthOf } from '../lib/text.ts'
import type { Given } from './shapes.ts'
import { byLogin, type ComponentState, type NamedPerson, type Referred } from './state.ts'

const LONGEST_NAME = 64

/** What a component is decided against: the product's type for bugs and what the values refer to. */
export type Surroundings = Referred & { readonly productType: string }

/**
 * The state of a component once the given values are in it; `before` is null for a new one. Contract
 * "the service". Faults 50 for a required value that is missing or blank, 51 for an unknown login, 105
 * for a name that is too long.
 */
export function decideComponent(
  before: ComponentState | null,
  given: Given,
  known: Surroundings,
): ComponentState {
  return {
    name: given.name === undefined && before ? before.name : nameIn(given.name),
    description: cleanBody(required('description', given.description, before?.description)),
    isActive: given.is_active ?? before?.isActive ?? true,
    sortKey: given.sort_key ?? before?.sortKey ?? 0,
    type: given.default_bug_type === undefined ? (before?.type ?? null) : typeIn(given, known),
    assignee: assigneeIn(given, before, known),
    qaContact: personOr(given.default_qa_contact, before?.qaContact ?? null, known),
    triageOwner: personOr(given.triage_owner, before?.triageOwner ?? null, known),
    teamName: cleanLine(required('team_name', given.team_name, before?.teamName)),
    template: cleanBody(
      given.bug_description_template === undefined
        ? (before?.template ?? '')
        : (given.bug_description_template ?? ''),
    ),
    cc: given.default_cc === undefined ? (before?.cc ?? []) : ccIn(given.default_cc, known),
  }
}

function nameIn(given: string | undefined): string {
  const name = cleanLine(required('name', given, undefined))
  if (lengthOf(name) > LONGEST_NAME) {
    throw fault('componentNameTooLong')
  }
  return name
}

/** Older components may lack what is required today: they keep that, but nobody may blank it anew. */
function required(field: string, given: string | undefined, before: string | undefined): string {
  if (given === undefined) {
    if (before === undefined) {
      throw fault('parameterMissing', { field })
    }
    return before
  }
  if (given.trim() === '') {
    throw fault('valueBlank', { field })
  }
  return given
}

/** A type that does not exist, or is the product's anyway, is not worth a word: the product decides. */
function typeIn(given: Given, { types, productType }: Surroundings): ComponentState['type'] {
  const [type] = types
  const isOwn = type !== undefined && fold(type.name) !== fold(productType)
  return given.default_bug_type && isOwn ? type : null
}

function assigneeIn(given: Given, before: ComponentState | null, known: Referred): NamedPerson {
  const login = required('default_assignee', given.default_assignee, before?.assignee.login)
  return given.default_assignee === undefined && before ? before.assignee : person(login, known)
}

function personOr(
  given: string | null | undefined,
  before: NamedPerson | null,
  known: Referred,
): NamedPerson | null {
  if (given === undefined) {
    return before
  }
  return given === null || given.trim() === '' ? null : person(given, known)
}

function ccIn(logins: readonly string[], known: Referred): NamedPerson[] {
  const people = logins.map((login) => person(login, known))
  return byLogin([...new Map(people.map((each) => [each.id, each])).values()])
}

function person(login: string, { people }: Referred): NamedPerson {
  const found = people.find(({ loginFold }) => loginFold === fold(login.trim()))
  if (found === undefined) {
    throw fault('userUnknown', { login })
  }
  return { id: found.id, login: found.login }
}
