import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUNDLE_GZIP_KILOBYTES, UPLOAD_GZIP_KILOBYTES } from '../../scripts/bench/scenarios.ts'
import { type BundledFile, bundleWorker, ENTRY, toModules } from '../../scripts/bundle.ts'
import { runWrangler } from '../../scripts/wrangler.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacewing-upload-'))
let files: BundledFile[]

beforeAll(async () => {
  files = await bundleWorker('deployed')
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The code of the modules, compressed as one. */
function measure(names: readonly string[]): number {
  const code = toModules(files).filter(({ path }) => names.includes(path))
  return gzipSync(Buffer.concat(code.map(({ contents }) => contents))).length / 1024
}

/** The entry and what its import statements reach, as the code itself says. */
function followImports(): string[] {
  const found = new Set([ENTRY])
  for (const name of found) {
    const module = toModules(files).find(({ path }) => path === name)
    const code = Buffer.from(module?.contents ?? []).toString()
    for (const [, next = ''] of code.matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)) {
      found.add(next)
    }
  }
  return [...found]
}

describe('the deployed code', () => {
  test('is small enough to start fast, and as a whole', () => {
    const started = measure(followImports())
    const whole = measure(toModules(files).map(({ path }) => path))
    expect(started).toBeGreaterThan(100)
    expect(started).toBeLessThan(BUNDLE_GZIP_KILOBYTES)
    expect(whole).toBeGreaterThan(started)
    expect(whole).toBeLessThan(UPLOAD_GZIP_KILOBYTES)
  })

  test('marks what an isolate loads at its start', () => {
    const marked = files.filter(({ isNeededAtStart }) => isNeededAtStart)
    expect(marked.map(({ name }) => name).sort()).toEqual(followImports().sort())
  })

  test('has a source map for each of its modules', () => {
    const maps = files.filter(({ name }) => name.endsWith('.map'))
    expect(maps.map(({ name }) => name).sort()).toEqual(
      toModules(files)
        .map(({ path }) => `${path}.map`)
        .sort(),
    )
  })

  test('is what wrangler uploads, module by module, with the source maps', async () => {
    const form = join(folder, 'form')
    const { ok, stdout, stderr } = await runWrangler('deploy', '--dry-run', '--outfile', form)
    expect(ok, `${stdout}${stderr}`).toBe(true)
    const sent = readFileSync(form, 'latin1').matchAll(/^Content-Disposition: .*filename="(.*)"/gm)
    expect([...sent].map(([, name]) => name).sort()).toEqual(files.map(({ name }) => name).sort())
  })
})
