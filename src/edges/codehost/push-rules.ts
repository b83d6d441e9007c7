import { foldName } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'

/** What a push to a branch sets on the bugs that it resolves. */
type PushRule = { readonly field?: string; readonly milestone?: string }

/**
 * The rule of the settings for a repository and a branch: that of the very branch, or of the first pattern that it
 * fits. `*` in a pattern is a number, and the same number wherever the rule has `*`. Null for none.
 */
export function findPushRule(
  { PUSH_STATUS_FLAGS }: Pick<Settings, 'PUSH_STATUS_FLAGS'>,
  repository: string,
  branch: string,
): PushRule | null {
  const own = Object.entries(PUSH_STATUS_FLAGS).filter(
    ([name]) => foldName(name) === foldName(repository),
  )
  const rules = own.flatMap(([, branches]) => Object.entries(branches))
  const exact = rules.find(([pattern]) => pattern === branch)
  const [pattern, rule] = exact ?? rules.find(([name]) => numberIn(name, branch) !== null) ?? []
  if (pattern === undefined || rule === undefined) {
    return null
  }
  const number = numberIn(pattern, branch) ?? '*'
  const fill = (text: string) => text.replaceAll('*', number)
  return {
    ...(rule.field === undefined ? {} : { field: fill(rule.field) }),
    ...(rule.milestone === undefined ? {} : { milestone: fill(rule.milestone) }),
  }
}

/** The digits that stand for `*` in a pattern; null when the branch does not fit it. */
function numberIn(pattern: string, branch: string): string | null {
  const [before = '', after] = pattern.split('*', 2)
  const digits = branch.slice(before.length, branch.length - (after?.length ?? 0))
  const fits = after !== undefined && branch === `${before}${digits}${after}`
  return fits && /^\d{1,10}$/.test(digits) ? digits : null
}
