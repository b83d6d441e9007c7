import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './wrangler.ts'

type BuildVersion = { version: string; commit: string }

/** Where `npm run bundle` leaves the version for a copy without the repository. */
export const BUILD_FILE = join(ROOT, 'node_modules/.cache/lacewing/version.json')

/** What is built: the day of the commit with its number, and its name. Null where nobody knows. */
export function readBuildVersion(): BuildVersion | null {
  try {
    const [day = '', commit = ''] = git(
      'log',
      '-1',
      '--date=format:%Y%m%d',
      '--format=%cd %h',
    ).split(' ')
    return { version: `${day}.${git('rev-list', '--count', 'HEAD')}`, commit }
  } catch {
    return readBuildFile()
  }
}

function readBuildFile(): BuildVersion | null {
  try {
    return JSON.parse(readFileSync(BUILD_FILE, 'utf8')) as BuildVersion | null
  } catch {
    return null
  }
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim()
}
