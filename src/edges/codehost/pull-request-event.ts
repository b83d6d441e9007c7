import * as z from 'zod'
import { cleanLine } from '../../platform/lib/text.ts'
import { parseFileName } from '../../tracker/attachments/texts.ts'
import { nonBlank, webAddress } from './event-shapes.ts'

const MAX_SUMMARY_LENGTH = 255

export const pullRequestShape = z.object({
  action: z.string('must be a text').nullish(),
  pull_request: z.object(
    {
      html_url: webAddress(),
      title: nonBlank(),
      number: z.int('must be a whole number'),
    },
    'must be an object',
  ),
  repository: z.object({ full_name: z.string().nullish() }).nullish(),
})

export type PullRequestEvent = z.output<typeof pullRequestShape>

/** The texts of the link attachment: `[owner/name] title (#number)`, cut in its title, and a file name. */
export function composeLinkTexts({
  pull_request: { title, number, html_url },
  repository,
}: PullRequestEvent) {
  const fullName = cleanLine(repository?.full_name ?? '') || repositoryIn(html_url)
  const [before, after] = [`[${fullName}] `, ` (#${number})`]
  const room = Math.max(0, MAX_SUMMARY_LENGTH - before.length - after.length)
  const characters = [...cleanLine(title)]
  const shown = characters.length > room ? [...characters.slice(0, room - 1), '…'] : characters
  return {
    summary: [...`${before}${shown.join('')}${after}`].slice(0, MAX_SUMMARY_LENGTH).join(''),
    fileName: parseFileName(`codehost-${fullName.replaceAll('/', '_')}-${number}-url.txt`),
  }
}

/** The first two segments of the path of a pull request. */
function repositoryIn(address: string): string {
  return new URL(address).pathname.split('/').slice(1, 3).join('/')
}
