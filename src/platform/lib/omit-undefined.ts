/** The members of an object that have a value, so that spreading them over others overwrites with no gap. */
export function omitUndefined<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>
  }
}
