import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { readLocalConfig } from '../../scripts/local/config.ts'
import { NO_RATE_LIMITS } from '../../scripts/local/no-rate-limits.ts'
import { findDatabaseFiles, locateDatabase, locateState } from '../../scripts/local/state.ts'
import { PATIENCE_MS } from '../support/time-limit.ts'
import { environment, startServer } from './running-server.ts'

const root = join(import.meta.dirname, '../..')

function start(args: string[], variables: Record<string, string>) {
  const { BASE_URL: _, ...inherited } = process.env
  return spawnSync('node', ['scripts/run.js', 'start', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: environment({ ...inherited, ...variables }),
    timeout: PATIENCE_MS,
  })
}

describe('npm start', () => {
  test('shows generated credentials once, keeps its data, and takes settings from the environment', async () => {
    const first = await startServer({ SEARCH_LIMIT: '7' })
    const key = /API key: +(\S+)/.exec(first.printed())?.[1] ?? ''
    const read = (url: string) =>
      fetch(`${url}/rest/whoami`, { headers: { 'x-tracker-api-key': key } })
    const answer = await read(first.url)
    expect(await answer.json()).toMatchObject({ id: 1, name: 'admin@example.com' })
    expect(answer.headers.get('server-timing')).toContain('1 trips')

    const told = await fetch(`${first.url}/rest/version`)
    const { version } = (await told.json()) as { version: string }
    expect(version).toMatch(/^20\d{6}\.[1-9]\d*$/)
    const printed = start(['--version'], {}).stdout
    const [, commit] = /commit ([0-9a-f]+)/.exec(printed) ?? []
    expect(printed).toContain(`Lacewing ${version}, commit ${commit}`)
    const health = await fetch(`${first.url}/healthz`)
    expect(await health.json()).toMatchObject({ version, commit })
    const documentation = await fetch(`${first.url}/docs`)
    expect(await documentation.text()).toContain(`${version}, commit ${commit}<`)

    const second = await first.restart()
    expect(await (await read(second.url)).json()).toMatchObject({ id: 1 })
    expect(second.printed()).not.toContain('API key:')
    await second.stop()
  })

  test('names the address of its proxy, and the one at which it listens', async () => {
    const server = await startServer({ BASE_URL: 'https://bugs.example.test' })
    const { port } = new URL(server.url)
    expect(server.printed()).toMatch(/^Lacewing +https:\/\/bugs\.example\.test$/m)
    expect(server.printed()).toMatch(new RegExp(`^Listens on +127\\.0\\.0\\.1:${port}$`, 'm'))
    expect(server.printed()).toMatch(/^Documentation +https:\/\/bugs\.example\.test\/docs$/m)
    expect(server.printed()).not.toContain('has the path')
    await server.stop()
  })

  test('rejects an illegal setting, an unusable credential and an unknown flag by name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-refused-'))
    const args = ['--port', '0', '--persist-to', folder]
    const illegal = start(args, { SEARCH_LIMIT: 'many' })
    expect({ status: illegal.status, output: illegal.stderr }).toMatchObject({
      status: 1,
      output: expect.stringContaining('SEARCH_LIMIT'),
    })
    const unusable = start(args, { ADMIN_PASSWORD: 'short' })
    expect({ status: unusable.status, output: unusable.stderr }).toMatchObject({
      status: 1,
      output: expect.stringContaining('ADMIN_PASSWORD'),
    })
    const unknown = start(['--prot', '1'], {})
    expect({ status: unknown.status, output: unknown.stderr }).toMatchObject({
      status: 2,
      output: expect.stringContaining('--prot'),
    })
    rmSync(folder, { recursive: true, force: true })
  })

  test('says in a sentence that the system has no CA certificates, which the runtime needs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-without-certificates-'))
    const { status, stderr } = start(['--port', '0', '--persist-to', join(folder, 'state')], {
      SSL_CERT_DIR: folder,
      SSL_CERT_FILE: '',
      NODE_EXTRA_CA_CERTS: '',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^[^\n]*finds none: install the package ca-certificates\.\n$/)
    rmSync(folder, { recursive: true, force: true })
  })

  test.each([
    [
      'in a line of its log',
      '{"level":"error","message":"the gauge is torn"}',
      'the gauge is torn',
    ],
    ['in words', 'Segmentation of the loom', 'Segmentation of the loom'],
    ['not at all', '', 'such as a lack of memory'],
  ])('says why a runtime that ends too early has ended, if it tells that %s', (_, line, words) => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-ended-'))
    const program = join(folder, 'workerd')
    writeFileSync(program, `#!/bin/sh\ncat >/dev/null\nprintf '%s' '${line}' >&2\nexit 1\n`)
    chmodSync(program, 0o755)
    const { status, stderr } = start(['--port', '0', '--persist-to', join(folder, 'state')], {
      MINIFLARE_WORKERD_PATH: program,
    })
    expect(status).toBe(1)
    expect(stderr).toContain('The runtime, workerd, ended before it was ready.')
    expect(stderr).toContain(words)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    rmSync(folder, { recursive: true, force: true })
  })

  test('runs the runtime itself when the process that began it is of another checkout', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-begun-'))
    const program = join(folder, 'workerd')
    writeFileSync(program, '#!/bin/sh\ncat >/dev/null\necho torn >&2\nexit 1\n')
    chmodSync(program, 0o755)
    const { stderr } = start(['--port', '0', '--persist-to', join(folder, 'state')], {
      MINIFLARE_WORKERD_PATH: '/elsewhere/scripts/local/workerd.sh',
      LACEWING_WORKERD: program,
    })
    expect(stderr).toContain('torn')
    rmSync(folder, { recursive: true, force: true })
  })

  test('reads wrangler.toml as wrangler does', () => {
    const { worker, crons } = readLocalConfig({}, 'a secret')
    const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
    const { name, bindings, serviceBindings: _, ...options } = worker
    expect(unstable_getMiniflareWorkerOptions(config).workerOptions).toMatchObject(options)
    expect({ name, bindings, crons }).toEqual({
      name: config.name,
      bindings: { ...config.vars, SECRETS_KEY: 'a secret' },
      crons: config.triggers.crons,
    })
  })

  test('takes the address of clients and the limits of requests from .dev.vars, and refuses what is no setting there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-settings-'))
    const devVars = join(folder, '.dev.vars')
    const localVars = { CLIENT_ADDRESS_HEADER: '', ...NO_RATE_LIMITS }
    const read = () => readLocalConfig({}, 'a secret', { localVars, devVars }).worker.bindings
    const off = { CLIENT_ADDRESS_HEADER: '', READS_PER_MINUTE: '0', REQUIRE_LOGIN: 'off' }
    expect(read()).toMatchObject(off)
    writeFileSync(devVars, 'SECRETS_KEY=k\nREQUIRE_LOGIN=on\nCLIENT_ADDRESS_HEADER=X-Real-IP\n')
    expect(read()).toMatchObject({
      ...off,
      ...{ REQUIRE_LOGIN: 'on', CLIENT_ADDRESS_HEADER: 'X-Real-IP' },
    })
    writeFileSync(devVars, 'REQUIRE_LOGN=on\n')
    expect(read).toThrow('.dev.vars: REQUIRE_LOGN is no setting.')
    rmSync(folder, { recursive: true, force: true })
  })

  test('refuses a line of .dev.vars that is no setting, and names it without its value', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-settings-'))
    const devVars = join(folder, '.dev.vars')
    writeFileSync(devVars, '# who may read\nREQUIRE_LOGIN: on\n')
    expect(() => readLocalConfig({}, 'a secret', { devVars })).toThrow(
      `${devVars}: line 2, REQUIRE_LOGIN, must be NAME=value.`,
    )
    rmSync(folder, { recursive: true, force: true })
  })

  test('knows where the runtime keeps the database', async () => {
    const server = await startServer({})
    const state = locateState(join(server.folder, 'state'))
    expect(findDatabaseFiles(state)).toEqual([locateDatabase(state)])
    await server.stop()
  })

  test('bundles the Worker only when something has changed that it is made of', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-bundle-'))
    for (const name of ['package.json', 'tsconfig.json', 'src', 'docs', 'scripts']) {
      cpSync(join(root, name), join(folder, name), { recursive: true })
    }
    mkdirSync(join(folder, 'node_modules'))
    for (const name of readdirSync(join(root, 'node_modules')).filter(
      (each) => each !== '.cache',
    )) {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    }
    const load = () => {
      const code = `import('./scripts/local/modules.ts').then(async ({ loadModules }) =>
        console.log((await loadModules('readable')).map(({ contents }) => contents).join()))`
      return spawnSync(process.execPath, ['-e', code], {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 1e8,
      }).stdout
    }
    expect(load()).toContain('/healthz')
    const file = join(folder, 'node_modules/.cache/lacewing/readable.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/healthz', '/remembered'))
    expect(load()).toContain('/remembered')
    writeFileSync(join(folder, 'docs/reference/new.md'), '# A new page')
    const changed = load()
    expect(changed).toContain('A new page')
    expect(changed).toContain('/healthz')
    rmSync(folder, { recursive: true, force: true })
  })

  test('says which Node it needs to one that cannot run TypeScript', () => {
    const args = ['--no-experimental-strip-types', 'scripts/run.js', 'start']
    const { status, stderr } = spawnSync('node', args, { cwd: root, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Lacewing needs Node .*22\.19.*, and this is v.*npm ci.*\n$/)
  })

  test('can be read by a Node of 2020, so that it says which one it needs', async () => {
    const source = readFileSync(join(root, 'scripts/run.js'), 'utf8')
    const write = async (target: string) => (await transform(source, { target })).code
    expect(await write('node14.13')).toBe(await write('esnext'))
  })

  test('imports no package that npm ci --omit=dev leaves out', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const commands = '{start,bootstrap,deploy,operate,bundle-ahead,bundle,build,page-assets}.ts'
    const files = [
      'src/**/*.{ts,tsx,css}',
      `scripts/${commands}`,
      'scripts/{local,administrator}/*.ts',
    ]
    const imported = globSync(files, { cwd: root }).flatMap((name) =>
      Array.from(
        readFileSync(join(root, name), 'utf8').matchAll(
          /^(?!import type).*(?:from|import\(|@import) ?['"](@[^/]+\/[^/'"]+|[\w-]+)(?=['"/])/gm,
        ),
        ([, found = '']) => found,
      ),
    )
    expect(imported).toContain('esbuild')
    expect(imported).toContain('@picocss/pico')
    expect(imported.filter((found) => !(found in dependencies))).toEqual([])
  })

  test('says in a sentence which packages are not installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-bare-'))
    cpSync(join(root, 'scripts/run.js'), join(folder, 'scripts/run.js'))
    copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
    const { status, stderr } = spawnSync('node', [join(folder, 'scripts/run.js'), 'start'], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Lacewing lacks the packages .*miniflare.*\. Run npm ci\.\n$/)
    rmSync(folder, { recursive: true, force: true })
  })

  test('says in a sentence which packages have changed since they were installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-pulled-'))
    for (const name of ['scripts/run.js', 'node_modules/hono/package.json']) {
      cpSync(join(root, name), join(folder, name))
    }
    const dependencies = { hono: '99.0.0' }
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ type: 'module', engines: {}, dependencies }),
    )
    const { status, stderr } = spawnSync('node', [join(folder, 'scripts/run.js'), 'start'], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Lacewing needs other versions of hono than .*\. Run npm ci\.\n$/)
    rmSync(folder, { recursive: true, force: true })
  })

  test('says in a sentence which package of a tool is not installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-without-tools-'))
    for (const name of ['run.js', 'drizzle-imports.js']) {
      cpSync(join(root, 'scripts', name), join(folder, 'scripts', name))
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module","engines":{},"dependencies":{}}')
    writeFileSync(join(folder, 'scripts/bench.ts'), "import 'undici'")
    const { status, stderr } = spawnSync('node', [join(folder, 'scripts/run.js'), 'bench'], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^This command needs the package undici, .*\. Run npm ci\.\n$/)
    rmSync(folder, { recursive: true, force: true })
  })

  test.each([
    ['20.20.2', []],
    ['22.19.0', ['--loglevel=warn']],
    ['24.0.0', ['--loglevel=warn']],
    ['26.0.0', ['--loglevel=warn']],
  ])(
    'is installed by Node %s without a warning about engines, as the README promises',
    (version, level) => {
      const folder = mkdtempSync(join(tmpdir(), 'lacewing-engines-'))
      for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
        copyFileSync(join(root, name), join(folder, name))
      }
      const disguise = join(folder, 'disguise.cjs')
      writeFileSync(disguise, `Object.defineProperty(process, 'version', { value: 'v${version}' })`)
      const { status, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline', ...level], {
        cwd: folder,
        encoding: 'utf8',
        env: environment({ ...process.env, NODE_OPTIONS: `--require ${disguise}` }),
      })
      expect(status).toBe(0)
      expect(stderr).not.toContain('EBADENGINE')
      rmSync(folder, { recursive: true, force: true })
    },
  )

  test('runs the one Miniflare and the one workerd that wrangler and the tests run', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    const simulators = Object.keys(lock.packages).filter((path) =>
      /\/(miniflare|workerd)$/.test(path),
    )
    expect(simulators).toEqual(['node_modules/miniflare', 'node_modules/workerd'])
  })
})
