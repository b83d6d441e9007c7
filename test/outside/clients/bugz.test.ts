import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { describeClient } from './outcomes.ts'
import { KEY, LOGIN, makeHome, PASSWORD, PLACE, trackerUrl } from './tracker.ts'

const isInstalled = spawnSync('bugz', ['--version']).status === 0

const { folder, variables } = makeHome()
const downloads = join(folder, 'downloads')
mkdirSync(downloads)
writeFileSync(join(folder, '.bugzrc'), `[test]\nbase = ${trackerUrl()}/xmlrpc.cgi\n`)

/** How the client presents who it is. */
const CREDENTIALS = {
  'an API key': ['--key', KEY],
  'a password': ['--user', LOGIN, '--password', PASSWORD],
} as const

/** Everything that a run prints. */
async function bugz(...args: string[]): Promise<string> {
  const connection = ['--connection', 'test', '--columns', '200']
  const options = { cwd: downloads, env: variables }
  const { stdout, stderr } = await promisify(execFile)('bugz', [...connection, ...args], options)
  return stdout + stderr
}

/** What a run that fails prints. */
async function readFailure(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await bugz(...args).then(
    () => ({ code: 0, stdout: '', stderr: '' }),
    (error) => error,
  )
  expect(code, stdout + stderr).toBe(1)
  return stdout + stderr
}

describeClient('bugz', isInstalled, (testCommand) => {
  const place = ['--product', PLACE.product, '--component', PLACE.component]

  for (const [kind, credentials] of Object.entries(CREDENTIALS)) {
    const run = (...args: string[]) => bugz(...credentials, ...args)
    const title = `The lamp stays dark & cold with ${kind}`
    let id = ''

    testCommand(`post with ${kind}`, async () => {
      const posted = await run(
        ...['post', '--batch', ...place, '--version', PLACE.version, '--title', title],
        ...['--description', 'Since <Monday>.', '--platform', 'Unspecified'],
      )
      id = /Bug (\d+) submitted/.exec(posted)?.[1] ?? ''
      expect(id).not.toBe('')
    })

    testCommand(`search with ${kind}`, async () => {
      expect(await run('search', 'dark & cold', ...place)).toContain(title)
    })

    testCommand(`modify with ${kind}`, async () => {
      await run(
        ...['modify', '--comment', 'I see it too: ☃', '--add-cc', LOGIN, '--whiteboard', '[x]'],
        ...['--add-see-also', 'https://example.org/1', id],
      )
      expect(await run('modify', '--fixed', id)).toMatch(/resolution *: added FIXED/)
    })

    testCommand(`get with ${kind}`, async () => {
      const shown = await run('get', id)
      for (const part of [title, 'RESOLVED', 'FIXED', LOGIN, '[x]', 'https://example.org/1']) {
        expect(shown).toContain(part)
      }
      expect(shown).toContain('Since <Monday>.')
      expect(shown).toContain('I see it too: ☃')
    })
  }

  testCommand('attach and attachment', async () => {
    const run = (...args: string[]) => bugz(...CREDENTIALS['an API key'], ...args)
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256))
    const file = join(folder, 'noise.bin')
    writeFileSync(file, bytes)
    const options = ['--content-type', 'application/octet-stream', '--title', 'Noise']
    const attached = await run('attach', ...options, '--description', 'Listen.', '1', file)
    const [, id = ''] = /\((\d+)\) has been attached/.exec(attached) ?? []
    await run('attachment', id)
    expect(readFileSync(join(downloads, 'noise.bin')).equals(bytes)).toBe(true)
    expect(await run('get', '1')).toContain(`[Attachment] [${id}] [Noise]`)
  })

  testCommand('shows why a request is refused', async () => {
    expect(await readFailure('--key', 'x'.repeat(40), 'get', '1')).toContain('API key')
    expect(await readFailure(...CREDENTIALS['an API key'], 'get', '987654')).toContain('987654')
  })
})
