import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT } from './wrangler.ts'

type BuildVersion = { version: string; commit: string }

/** Where `npm run bundle` leaves the version for a copy without the repository. */
const BUILD_FILE = 'node_modules/.cache/lacewing/version.json'
/** Git writes day and commit into it when it packs the files without the repository, as for downloads of code hosts. */
const ARCHIVE_FILE = 'scripts/archived-commit.txt'

export const BUILD_FILE_PATH = join(ROOT, BUILD_FILE)

/** What tells that another version is built than before, with less work than the version itself takes. */
export function identifyBuild(root = ROOT): string {
  return readRepositoryState(root)?.join(' ') ?? JSON.stringify(readBuildVersion(root))
}

/** What is built: the day of the commit with its number, 0 without its history, and its name. Null where nobody knows. */
export function readBuildVersion(root = ROOT): BuildVersion | null {
  return readRepository(root) ?? readArchiveFile(root) ?? readBuildFile(root)
}

function readRepository(root: string): BuildVersion | null {
  const [, isShallow] = readRepositoryState(root) ?? []
  if (isShallow === undefined) {
    return null
  }
  const log = git(root, 'log', '-1', '--date=format:%Y%m%d', '--format=%cd %h')
  const [day = '', commit = ''] = log.split(' ')
  const number = isShallow === 'false' ? git(root, 'rev-list', '--count', 'HEAD') : '0'
  return { version: `${day}.${number}`, commit }
}

/** The commit, and whether history before it is missing; null where there is no repository of this folder. */
function readRepositoryState(root: string): [commit: string, isShallow: string] | null {
  try {
    const words = ['--is-shallow-repository', 'HEAD', '--show-prefix']
    const [isShallow = '', commit = '', prefix = ''] = git(root, 'rev-parse', ...words).split('\n')
    // a copy may lie in the repository of something else
    return prefix === '' ? [commit, isShallow] : null
  } catch {
    return null
  }
}

function readBuildFile(root: string): BuildVersion | null {
  try {
    return JSON.parse(readFileSync(join(root, BUILD_FILE), 'utf8')) as BuildVersion | null
  } catch {
    return null
  }
}

function readArchiveFile(root: string): BuildVersion | null {
  const text = readFileSync(join(root, ARCHIVE_FILE), 'utf8')
  const [, year, month, day, commit] = /^(\d+)-(\d+)-(\d+) ([0-9a-f]+)$/m.exec(text) ?? []
  return commit === undefined ? null : { version: `${year}${month}${day}.0`, commit }
}

/** The repository may be somebody else's, as for `sudo` and bind mounts: its scripts run anyway. */
function git(root: string, ...words: string[]): string {
  return execFileSync('git', ['-c', `safe.directory=${resolve(root)}`, ...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .toString()
    .trim()
}
