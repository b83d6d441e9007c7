import type * as z from 'zod'
import { FIELD_CATALOGUE, type FieldName, type FieldRow } from '../../fields/catalogue.ts'
import { toPublicName } from '../../fields/names.ts'

type LegacyName = {
  [Name in FieldName]: (typeof FIELD_CATALOGUE)[Name] extends { isSentByInternalName: true }
    ? Name
    : never
}[FieldName]

const LEGACY_NAMES = (Object.keys(FIELD_CATALOGUE) as FieldName[]).filter(
  (name): name is LegacyName => (FIELD_CATALOGUE[name] as FieldRow).isSentByInternalName === true,
)

/** The internal names as keys of an input, each with an atom of its own. */
export function legacyNameInputs<Atom extends z.ZodType>(atom: () => Atom) {
  return Object.fromEntries(LEGACY_NAMES.map((name) => [name, deprecate(atom())])) as Record<
    LegacyName,
    Atom
  >
}

function deprecate<Atom extends z.ZodType>(atom: Atom): Atom {
  return atom.meta({ ...atom.meta(), deprecated: true })
}

/** The internal names that count for nothing, because the API's own are given as well. */
export function findOverruledNames(
  input: Readonly<Record<string, unknown>>,
  internalNames: readonly FieldName[] = LEGACY_NAMES,
): string[] {
  return internalNames.filter((internal) => {
    const name = toPublicName(internal)
    return name !== internal && input[internal] !== undefined && input[name] !== undefined
  })
}

/** The input with its fields under the API's names; where both are given, the API's own counts. */
export function withApiNames<Input extends Readonly<Record<string, unknown>>>(input: Input): Input {
  const renamed = LEGACY_NAMES.map((internal) => [toPublicName(internal), input[internal]] as const)
  return {
    ...input,
    ...Object.fromEntries(
      renamed.filter(([name, value]) => input[name] === undefined && value !== undefined),
    ),
  }
}
