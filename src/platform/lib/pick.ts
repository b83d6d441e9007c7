/** The named members of an object, such as columns of a table for a select. */
export function pick<Of extends object, Name extends keyof Of>(
  of: Of,
  ...names: readonly Name[]
): Pick<Of, Name> {
  return Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<Of, Name>
}
