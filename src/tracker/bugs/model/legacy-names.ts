import type * as z from 'zod'

/** The internal names of fields, under which many clients still send them, and the API's own. */
const API_NAMES = {
  short_desc: 'summary',
  bug_status: 'status',
  bug_severity: 'severity',
  bug_type: 'type',
  rep_platform: 'platform',
  status_whiteboard: 'whiteboard',
  bug_file_loc: 'url',
} as const

/** The internal names as keys of an input, each with an atom of its own. */
export function legacyNameInputs<Atom extends z.ZodType>(atom: () => Atom) {
  const names = Object.keys(API_NAMES) as (keyof typeof API_NAMES)[]
  return Object.fromEntries(names.map((name) => [name, atom()])) as Record<
    keyof typeof API_NAMES,
    Atom
  >
}

/** The input with its fields under the API's names; where both are given, the API's own counts. */
export function withApiNames<Input extends Readonly<Record<string, unknown>>>(input: Input): Input {
  const renamed = Object.entries(API_NAMES).filter(
    ([internal, name]) => input[name] === undefined && input[internal] !== undefined,
  )
  return {
    ...input,
    ...Object.fromEntries(renamed.map(([internal, name]) => [name, input[internal]])),
  }
}
