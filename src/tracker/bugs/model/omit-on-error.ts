import { errorFacts, log } from '../../../platform/lib/log.ts'

/**
 * What `show` answers, or undefined when it cannot: a field that is broken in the database is logged and
 * left out, and neither its bug nor the page that the bug is on fails because of it.
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
