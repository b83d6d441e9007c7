import { errorFacts, log } from '../../../platform/lib/log.ts'

/**
 * The result of `show`, or undefined when it throws: a field that is broken in the database is logged and
 * left out, so that its bug and its page are still shown.
 */
export function omitOnError<Shown>(
  where: { readonly bugId: number; readonly field: string },
  show: () => Shown,
): Shown | undefined {
  try {
    return show()
  } catch (error) {
    log('error', 'a field cannot be shown', { ...where, ...errorFacts(error) })
    return undefined
  }
}
