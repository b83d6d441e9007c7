import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Files and folders of an operator that the README, docs/operation.md and compose.yaml name. */
const OWN = [
  ...['.dev.vars', '.env', 'deployment.env', 'deployment.staging.env'],
  ...['wrangler.deployment.json', '.wrangler/state', 'state/secrets.env'],
]

test('Git ignores the settings, secrets and data that the documents put into the folder of the project', () => {
  const ignored = execFileSync('git', ['check-ignore', ...OWN], { cwd: root, encoding: 'utf8' })
  expect(ignored.trim().split('\n')).toEqual(OWN)
})

test('an image has nothing that Git ignores, such as settings and secrets', () => {
  const [git, docker] = ['.gitignore', '.dockerignore'].map((name) =>
    readFileSync(join(root, name), 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      // one of Docker begins at the root and is about files and folders
      .map((line) => line.replaceAll(/^\/|\/$/g, '')),
  )
  expect(docker).toEqual(git)
})
