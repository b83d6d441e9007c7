import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

const PRINTER = `import('./scripts/command.ts').then(({ runCommand }) => runCommand(async () => {
  for await (const _ of process.stdin);
  await new Promise((written) => process.stdout.write('to nobody', written))
  process.stderr.write('done')
}))`

test('a command does its work to the end when what reads its output has ended before it', async () => {
  const child = spawn(process.execPath, ['-e', PRINTER], { cwd: root })
  child.stdout.destroy()
  child.stdin.end()
  const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ complaints, code }).toEqual({ complaints: 'done', code: 0 })
})

test.each([
  ['where the rest of the project is not there yet', null],
  ['where the Worker does not build', 'process.exitCode = 1'],
])('npm ci ends well %s', (_, program) => {
  const copy = mkdtempSync(join(tmpdir(), 'lacewing-installed-'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  if (program !== null) {
    mkdirSync(join(copy, 'scripts'))
    writeFileSync(join(copy, 'scripts/run.js'), program)
  }
  const { status, stderr } = spawnSync('npm', ['run', '--silent', 'postinstall'], {
    cwd: copy,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  rmSync(copy, { recursive: true })
})

test('the bytes of a folder without a tracker are refused in a sentence', () => {
  const folder = join(tmpdir(), 'lacewing-no-tracker')
  const command = ['scripts/run.js', 'bench', '--bytes', '--data', folder]
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 1, stderr: `There is no tracker in ${folder}.\n` })
})

test('the table of clients stays as it is when no client can be tried', () => {
  const copy = mkdtempSync(join(tmpdir(), 'lacewing-clients-'))
  for (const name of ['scripts/clients.ts', 'docs/clients.md']) {
    cpSync(join(root, name), join(copy, name))
  }
  const { status, stderr } = spawnSync(process.execPath, [join(copy, 'scripts/clients.ts')], {
    env: { ...process.env, PATH: copy },
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('No client') })
  expect(readFileSync(join(copy, 'docs/clients.md'), 'utf8')).toBe(
    readFileSync(join(root, 'docs/clients.md'), 'utf8'),
  )
  rmSync(copy, { recursive: true })
})

test.each(['check', 'fix', 'unit', 'trials', 'test', 'verify'])(
  'npm run %s says in a sentence that npm ci --omit=dev has left out its tools',
  (command) => {
    const copy = mkdtempSync(join(tmpdir(), 'lacewing-without-tools-'))
    for (const name of [
      'run.js',
      'drizzle-imports.js',
      'assert-tools.ts',
      'verify.ts',
      'command.ts',
      'wrangler.ts',
    ]) {
      cpSync(join(root, 'scripts', name), join(copy, 'scripts', name))
    }
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, dependencies: {} }))
    const { status, stderr } = spawnSync('npm', ['run', '--silent', command], {
      cwd: copy,
      encoding: 'utf8',
    })
    const sentence = 'This command needs packages that npm ci --omit=dev leaves out. Run npm ci.\n'
    expect({ status, stderr }).toEqual({ status: 1, stderr: sentence })
    rmSync(copy, { recursive: true })
  },
)
