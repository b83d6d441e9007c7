import * as z from 'zod'

export const aliasOutput = z.union([z.string().nullable(), z.array(z.string())])

/** Presents an alias, as a list of one or none where clients demand it; an empty one is none. */
export function presentAlias(
  alias: string | null | undefined,
  asList: boolean,
): z.output<typeof aliasOutput> {
  const only = alias || null
  if (asList) {
    return only === null ? [] : [only]
  }
  return only
}
