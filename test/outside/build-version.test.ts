import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { identifyBuild, readBuildVersion } from '../../scripts/build-version.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'lacewing-version-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function git(...words: string[]): string {
  const person = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  return execFileSync('git', [...person, ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()
}

function takeFile(name: string, to = folder): void {
  mkdirSync(join(to, name, '..'), { recursive: true })
  cpSync(join(root, name), join(to, name))
}

git('init', '--quiet')
takeFile('.gitattributes')
takeFile('scripts/archived-commit.txt')
writeFileSync(join(folder, 'file'), 'contents')
git('add', '.')
git('commit', '--quiet', '--message', 'the only one')
const commit = git('log', '-1', '--format=%h')

test('the version of a repository is the day and the number of its commit', () => {
  expect(readBuildVersion(folder)).toMatchObject({
    version: expect.stringMatching(/^20\d{6}\.1$/),
    commit,
  })
})

test('the version of a repository is known to whoever else starts it', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
  expect(() => git('log', '-1')).toThrow('dubious ownership')
  expect(readBuildVersion(folder)).toMatchObject({ commit })
})

test('a clone without its history does not count its only commit as the first', () => {
  git('commit', '--quiet', '--allow-empty', '--message', 'the second')
  const clone = mkdtempSync(join(tmpdir(), 'lacewing-shallow-'))
  git('clone', '--quiet', '--depth', '1', `file://${folder}`, clone)
  expect(readBuildVersion(clone)?.version).toMatch(/^20\d{6}\.0$/)
  expect(identifyBuild(clone)).not.toBe(identifyBuild(folder))
  rmSync(clone, { recursive: true })
  git('reset', '--quiet', '--hard', commit)
})

test('a build is another one with each commit, and with the version of a copy that has none', () => {
  const first = identifyBuild(folder)
  expect(identifyBuild(folder)).toBe(first)
  git('commit', '--quiet', '--allow-empty', '--message', 'the second')
  expect(identifyBuild(folder)).not.toBe(first)
  git('reset', '--quiet', '--hard', commit)
  const copy = mkdtempSync(join(tmpdir(), 'lacewing-copy-'))
  takeFile('scripts/archived-commit.txt', copy)
  const unknown = identifyBuild(copy)
  writeBuildFile(copy)
  expect(identifyBuild(copy)).not.toBe(unknown)
  rmSync(copy, { recursive: true })
})

test('what code hosts offer for download knows its commit without a repository', () => {
  const unpacked = mkdtempSync(join(tmpdir(), 'lacewing-unpacked-'))
  execFileSync('tar', ['x'], {
    cwd: unpacked,
    input: execFileSync('git', ['archive', 'HEAD'], { cwd: folder }),
  })
  expect(readBuildVersion(unpacked)).toMatchObject({
    version: expect.stringMatching(/^20\d{6}\.0$/),
    commit,
  })
  rmSync(unpacked, { recursive: true })
})

test('a copy inside of another repository does not take the commit of that one', () => {
  const copy = join(folder, 'copies/lacewing')
  takeFile('scripts/archived-commit.txt', copy)
  expect(readBuildVersion(copy)).toBeNull()
  writeBuildFile(copy)
  expect(readBuildVersion(copy)).toEqual({ version: '20300131.7', commit: 'abc1234' })
})

/** Writes what `npm run bundle` does. */
function writeBuildFile(copy: string): void {
  const cache = join(copy, 'node_modules/.cache/lacewing')
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'version.json'), '{"version":"20300131.7","commit":"abc1234"}')
}
