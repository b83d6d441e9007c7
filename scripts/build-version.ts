import { execFileSync } from 'node:child_process'
import { ROOT } from './wrangler.ts'

/** What is built: the day of the commit with its number, and its name. Null without a repository. */
export function readBuildVersion(): { version: string; commit: string } | null {
  try {
    const [day = '', commit = ''] = git(
      'log',
      '-1',
      '--date=format:%Y%m%d',
      '--format=%cd %h',
    ).split(' ')
    return { version: `${day}.${git('rev-list', '--count', 'HEAD')}`, commit }
  } catch {
    return null
  }
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()
}
