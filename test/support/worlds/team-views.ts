import type { Reply } from '../clients/visitor.ts'
import type { Team } from './team.ts'

/** Four people who look at everything, from the outermost to the innermost. */
const EVERYBODY = ['anyone', 'stranger', 'member', 'admin'] as const

type Who = (typeof EVERYBODY)[number]

/**
 * Sends the same request as each of the four people. Under their names stands what `summarize` makes of a
 * success, or else the number of the refusal.
 */
export async function readAsEverybody(
  team: Team,
  path: string,
  summarize: (body: Reply['body']) => unknown,
): Promise<Record<Who, unknown>> {
  const answers = EVERYBODY.map(async (who) => {
    const { body, status } = await team[who].get(path)
    return [who, status < 400 ? summarize(body) : body.code] as const
  })
  return Object.fromEntries(await Promise.all(answers)) as Record<Who, unknown>
}

/** What those outside see, and those inside. */
export function expectViews(outside: unknown, inside: unknown): Record<Who, unknown> {
  return { anyone: outside, stranger: outside, member: inside, admin: inside }
}

/** The names in a list of objects, in its order. */
export function pickNames(list: { name: string }[]): string[] {
  return list.map(({ name }) => name)
}
