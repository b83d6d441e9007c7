import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from './running-server.ts'

/** The description of the API in the hands of others: a linter, and a generator of clients. */

const ROOT = join(import.meta.dirname, '../..')
const LOGIN = 'root@tracker.example'
const PASSWORD = 'correct horse battery'

const run = promisify(execFile)

let server: RunningServer

beforeAll(async () => {
  server = await startServer({ ADMIN_LOGIN: LOGIN, ADMIN_PASSWORD: PASSWORD })
})
afterAll(() => server?.stop())

/** Runs an installed program and returns its output, or the error that it printed. */
function runProgram(name: string, ...args: string[]): Promise<string> {
  const program = join(ROOT, 'node_modules/.bin', name)
  // the linter asks its maker for news
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' }
  return run(program, args, { env, cwd: server.folder }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error) => `failed: ${error.stdout}${error.stderr}`,
  )
}

describe('the description of the API', () => {
  test('passes the linter without an error or a warning', async () => {
    const file = join(server.folder, 'openapi.json')
    writeFileSync(file, await (await fetch(`${server.url}/rest/openapi.json`)).text())
    const config = join(ROOT, 'redocly.yaml')
    const said = await runProgram(
      'redocly',
      'lint',
      file,
      '--config',
      config,
      '--format',
      'stylish',
    )
    expect(said).toContain('Your API description is valid')
    expect(said).not.toMatch(/warning|failed/)
  })

  test('makes a TypeScript client that compiles strictly and does all that a reporter does', async () => {
    const folder = join(server.folder, 'client')
    mkdirSync(folder)
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    cpSync(join(import.meta.dirname, 'generated-client/story.ts'), join(folder, 'story.ts'))
    const types = await openapiTypeScript(new URL(`${server.url}/rest/openapi.json`))
    writeFileSync(join(folder, 'api.d.ts'), astToString(types))
    const options = {
      ...{ target: 'es2024', lib: ['es2024', 'dom'], module: 'esnext', types: ['node'] },
      ...{
        moduleResolution: 'bundler',
        strict: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
      },
    }
    const project = { compilerOptions: options, include: ['story.ts', 'api.d.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
    expect(await runProgram('tsc', '-p', folder)).toBe('')

    const story = await run(process.execPath, [
      join(folder, 'story.ts'),
      server.url,
      LOGIN,
      PASSWORD,
    ])
    expect(JSON.parse(story.stdout)).toEqual({
      caller: 1,
      repeated: true,
      other: 'number',
      comment: 'number',
      attachment: ['The plan'],
      changes: ['RESOLVED'],
      refused: 32000,
      found: ['lamp'],
      texts: ['At night.', 'By day too.', expect.stringContaining('The plan'), 'A new bulb.'],
      fields: expect.arrayContaining(['status', 'resolution', 'cc', 'alias']),
      missing: 101,
    })
  })
})
