import * as z from 'zod'
import { fault } from '../../platform/faults/fault.ts'
import { cleanBody, cleanLine, lengthOf } from '../../platform/lib/text.ts'
import { MAX_COMMENT_LENGTH } from '../../tracker/comments/plan.ts'
import { findBugReference } from './bug-reference.ts'
import { nonBlank, webAddress } from './event-shapes.ts'
import { codehostEventMalformed } from './faults.ts'

const MAX_LINE_LENGTH = 1000

/** Bytes kept for the line that counts the commits left out. */
const CLOSING_LENGTH = 50

/** Bytes of the comments of one push, which are one parameter and one row of the database. */
const MAX_PUSH_BYTES = 1_500_000

/** A branch by its full name, as Git has it, or by the short one. */
const BRANCH = /^(?:refs\/heads\/|(?!refs\/))(.+)$/s
const RELEASE_BRANCH = /^releases_v\d+$/

export const pushShape = z.object({
  ref: nonBlank(),
  repository: z.object({
    full_name: nonBlank(),
    default_branch: z.string().nullish(),
  }),
  commits: z.array(
    z.object({
      message: nonBlank(),
      url: webAddress(),
      author: z
        .object({ username: z.string().nullish(), name: z.string().nullish() })
        .refine(
          ({ username, name }) => cleanLine(username ?? name ?? '') !== '',
          'has neither a username nor a name',
        ),
    }),
  ),
})

type Push = z.output<typeof pushShape>
type Commit = Push['commits'][number]

/**
 * The branch of a push that counts; null for tags and, where the sender names its default branch, for branches that
 * are neither that one nor a release.
 */
export function findBranch({ ref, repository }: Push): string | null {
  const [, branch] = BRANCH.exec(ref) ?? []
  const { default_branch: main } = repository
  const counts = !main || branch === main || RELEASE_BRANCH.test(branch ?? '')
  return branch !== undefined && counts ? branch : null
}

/** The commits of a push by the ID of the bug that each names first, in their order. */
export function groupCommits({ commits }: Push): Map<number, Commit[]> {
  const named = commits.flatMap((commit) => {
    const bugId = findBugReference(commit.message)
    return bugId === null ? [] : [{ bugId, commit }]
  })
  const byBug = Map.groupBy(named, ({ bugId }) => bugId)
  return new Map([...byBug].map(([bugId, own]) => [bugId, own.map(({ commit }) => commit)]))
}

/**
 * Composes the comment on a bug: three lines for each commit. Commits beyond the length of a comment are counted in a
 * last line. `prefix` begins the third lines.
 */
export function composePushComment(commits: readonly Commit[], prefix: string): string {
  const blocks: string[] = []
  let length = 0
  for (const commit of commits) {
    const block = composeBlock(commit, prefix)
    length += lengthOf(block) + 2
    if (length > MAX_COMMENT_LENGTH - CLOSING_LENGTH) {
      break
    }
    blocks.push(block)
  }
  const left = commits.length - blocks.length
  const closing = left === 0 ? [] : [`… and ${left} more ${left === 1 ? 'commit' : 'commits'}`]
  return cleanBody([...blocks, ...closing].join('\n\n'))
}

/** Refuses comments that together are too long for one commit. */
export function assertStorable(comments: readonly { readonly comment: string }[]): void {
  if (new TextEncoder().encode(JSON.stringify(comments)).length > MAX_PUSH_BYTES) {
    const problems = 'commits would take comments of more than 1.5 MB'
    throw fault(codehostEventMalformed, { problems })
  }
}

function composeBlock({ author, url, message }: Commit, prefix: string): string {
  const username = cleanLine(author.username ?? '')
  const person =
    username === '' ? cleanLine(author.name ?? '') : `${new URL(url).origin}/${username}`
  const [line = ''] = message.trim().split(/\r\n?|\n/, 1)
  return [`Authored by ${cutLine(person)}`, url, `${prefix}${cutLine(cleanLine(line))}`].join('\n')
}

function cutLine(line: string): string {
  const characters = line.length > MAX_LINE_LENGTH ? [...line] : []
  return characters.length > MAX_LINE_LENGTH
    ? `${characters.slice(0, MAX_LINE_LENGTH - 1).join('')}…`
    : line
}
