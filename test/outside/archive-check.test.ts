import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { findMissingLines, readFirstStart } from '../../scripts/archive/first-start.ts'
import { withArchive } from '../../scripts/archive/folder.ts'
import { parseManifest } from '../../scripts/archive/manifest.ts'
import { pack } from '../../scripts/archive/tar.ts'
import { validateArchive } from '../../scripts/archive/validate.ts'

const place = mkdtempSync(join(tmpdir(), 'archive-check-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const AT = '2026-01-02T03:04:05Z'
const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex')

type Line = Record<string, unknown>

const bug = (id: number, more: Line = {}): Line => ({
  ...{ id, summary: 's', product: 'P', component: 'C', version: 'V', target_milestone: '---' },
  ...{ status: 'CONFIRMED', resolution: '', is_confirmed: true, type: 'defect', priority: '--' },
  ...{ severity: '--', platform: 'All', op_sys: 'All', assigned_to: 'a@x.test' },
  ...{ creator: 'A@X.test', creation_time: AT, last_change_time: AT },
  ...more,
})

/** A sound archive of two bugs; what belongs to a new tracker is left to the import. */
function buildParts(): Record<string, Line[]> {
  return {
    users: [{ id: 1, name: 'a@x.test', creation_time: AT }],
    products: [
      { id: 1, name: 'P', classification: 'Unclassified', description: '', creation_time: AT },
    ],
    versions: [{ id: 1, product: 'P', name: 'V' }],
    milestones: [{ id: 1, product: 'P', name: '---' }],
    components: [
      { id: 1, product: 'P', name: 'C', description: '', default_assigned_to: 'a@x.test' },
    ],
    bugs: [bug(1), bug(2, { alias: 'two' })],
    bug_relations: [{ id: 2, depends_on: [1] }],
    comments: [
      { id: 1, bug_id: 1, count: 0, creator: 'a@x.test', creation_time: AT, text: 'x' },
      { id: 2, bug_id: 2, count: 0, creator: 'a@x.test', creation_time: AT, text: 'y' },
    ],
  }
}

let count = 0

function write(parts: Record<string, Line[] | string>, edit: (manifest: Line) => Line = (m) => m) {
  count += 1
  const folder = join(place, String(count))
  mkdirSync(folder)
  const described: Record<string, unknown> = {}
  for (const [name, lines] of Object.entries(parts)) {
    const text =
      typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    writeFileSync(join(folder, `${name}.ndjson`), text)
    const bytes = Buffer.byteLength(text)
    described[name] = { lines: text.split('\n').length - 1, bytes, sha256: sha256(text) }
  }
  const manifest = edit({
    ...{ format: 'lacewing-archive', version: 1, source: 's', made: AT, moment: AT, since: null },
    ...{ credentials: false, parts: described, files: {}, missing: [] },
  })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  return folder
}

function check(from: string): Promise<string[]> {
  return withArchive(from, async (archive) => {
    const problems = await validateArchive(archive, await findMissingLines(archive.folder))
    return problems.map(
      ({ file, line, reason }) => `${file}${line === null ? '' : `:${line}`}: ${reason}`,
    )
  })
}

describe('the check ahead of an import', () => {
  test('finds nothing in a sound archive, as a folder or packed', async () => {
    const folder = write(buildParts())
    expect(await check(folder)).toEqual([])
    const packed = join(place, 'sound.tar.gz')
    const names = Object.keys(buildParts()).map((name) => `${name}.ndjson`)
    await pack(folder, ['manifest.json', ...names], packed)
    expect(await check(packed)).toEqual([])
  })

  test.each<[string, (parts: Record<string, Line[]>) => Record<string, Line[] | string>, string]>([
    [
      'a number that stands twice',
      (parts) => ({ ...parts, bugs: [bug(1), bug(1)] }),
      'bugs.ndjson:2: id 1 stands behind 1',
    ],
    [
      'a wrong type',
      (parts) => ({ ...parts, bugs: [bug(1), bug(2, { is_confirmed: 'yes' })] }),
      'bugs.ndjson:2: is_confirmed must be true or false',
    ],
    [
      'an unknown member',
      (parts) => ({ ...parts, bugs: [bug(1), bug(2, { colour: 'red' })] }),
      "bugs.ndjson:2: 'colour' is no member of this part",
    ],
    [
      'more people on CC than a bug may have',
      (parts) => ({ ...parts, bugs: [bug(1, { cc: Array(10_001).fill('a@x.test') })] }),
      'bugs.ndjson:1: cc has more than 10,000 items',
    ],
    [
      'a custom field that nobody defines',
      (parts) => ({ ...parts, bugs: [bug(1), bug(2, { cf_x: 1 })] }),
      "bugs.ndjson:2: 'cf_x' is no custom field of the part 'fields'",
    ],
    [
      'a name that no line has',
      (parts) => ({ ...parts, bugs: [bug(1), bug(2, { version: '9' })] }),
      "bugs.ndjson:2: version names '9' of 'P': there is no such version",
    ],
    [
      'an alias that two bugs have',
      (parts) => ({ ...parts, bugs: [bug(1, { alias: 'TWO' }), bug(2, { alias: 'two' })] }),
      "bugs.ndjson:2: an earlier line has the same alias 'two'",
    ],
    [
      'a comment of a bug that is not there',
      (parts) => ({ ...parts, comments: [{ ...parts.comments?.[0], bug_id: 7 }] }),
      "comments.ndjson:1: bug_id names '7': there is no such bug",
    ],
    [
      'a loop of dependencies',
      (parts) => ({
        ...parts,
        bug_relations: [
          { id: 1, depends_on: [2] },
          { id: 2, depends_on: [1] },
        ],
      }),
      'bug_relations.ndjson: bug 1 depends on itself',
    ],
    [
      'text that is no JSON',
      (parts) => ({ ...parts, keywords: '{"id":1,\n' }),
      'keywords.ndjson:1: ',
    ],
    [
      'a line without an end',
      (parts) => ({ ...parts, keywords: 'x'.repeat(5_000_000) }),
      'keywords.ndjson: line 1 is longer',
    ],
    [
      'an attachment without a file',
      (parts) => ({
        ...parts,
        attachments: [
          {
            ...{ id: 1, bug_id: 1, creator: 'a@x.test', creation_time: AT, last_change_time: AT },
            ...{ file_name: 'f', summary: 's', content_type: 't', size: 1, digest: 'ab' },
          },
        ],
      }),
      "attachments.ndjson:1: digest 'ab' is no file of the manifest",
    ],
  ])('names file, line and reason of %s', async (_, edit, expected) => {
    const found = await check(write(edit(buildParts())))
    expect(found[0]).toContain(expected)
  })

  test('notices bytes that are not those of the manifest', async () => {
    const folder = write(buildParts())
    const path = join(folder, 'bugs.ndjson')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"s"', '"z"'))
    expect((await check(folder))[0]).toContain('bugs.ndjson: has sha256')
    writeFileSync(path, '')
    expect((await check(folder))[0]).toContain('bugs.ndjson: has bytes 0')
    writeFileSync(join(folder, 'extra.sh'), 'x')
    expect((await check(folder))[0]).toContain('extra.sh: is no file of this archive')
  })

  test('notices files with other bytes, and claims of huge ones', async () => {
    const digest = sha256('right')
    const wrong = write(buildParts(), (manifest) => ({
      ...manifest,
      files: { [digest]: { size: 5 } },
    }))
    mkdirSync(join(wrong, 'files'))
    writeFileSync(join(wrong, 'files', digest), 'wrong')
    expect((await check(wrong))[0]).toContain(`files/${digest}: has another digest`)
    const huge = write(buildParts(), (manifest) => ({
      ...manifest,
      files: { [digest]: { size: 10_000_000_000 } },
    }))
    expect((await check(huge))[0]).toContain(`files/${digest}: has 10000000000 bytes`)
  })

  test.each([
    ['a later version', { version: 2 }, 'version'],
    [
      'a part that does not exist',
      { parts: { tokens: { lines: 0, bytes: 0, sha256: '' } } },
      'parts',
    ],
    ['a file with the name of a path', { files: { '../../x': { size: 1 } } }, 'files'],
    ['another format', { format: 'zip' }, 'format'],
    ['a member that it does not know', { secret: 1 }, 'secret'],
  ])('refuses a manifest with %s', async (_, more, naming) => {
    const folder = write(buildParts(), (manifest) => ({ ...manifest, ...more }))
    await expect(check(folder)).rejects.toThrow(naming)
  })

  test('refuses a folder without a manifest, which is an unfinished archive', async () => {
    const folder = write(buildParts())
    rmSync(join(folder, 'manifest.json'))
    await expect(check(folder)).rejects.toThrow('unfinished')
  })
})

/** A tar archive of entries with these names and sizes, whatever follows. */
function tarOf(...entries: { name: string; text: string; size?: number; kind?: string }[]): string {
  const blocks = entries.flatMap(({ name, text, size = Buffer.byteLength(text), kind = '0' }) => {
    const header = Buffer.alloc(512)
    header.write(name, 0, 100)
    header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
    header.write(kind, 156)
    const body = Buffer.from(text)
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
  })
  count += 1
  const path = join(place, `${count}.tar.gz`)
  writeFileSync(path, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])))
  return path
}

describe('a packed archive', () => {
  const manifest = (parts: object = {}) => ({
    name: 'manifest.json',
    text: JSON.stringify({
      ...{ format: 'lacewing-archive', version: 1, source: 's', made: AT, moment: AT },
      ...{ since: null, credentials: false, parts, files: {} },
    }),
  })

  test.each([
    ['a path out of the folder', [manifest(), { name: '../evil', text: 'x' }], '../evil'],
    ['an absolute path', [manifest(), { name: '/etc/passwd', text: 'x' }], '/etc/passwd'],
    ['a link', [manifest(), { name: 'bugs.ndjson', text: '', kind: '2' }], 'bugs.ndjson'],
    [
      'a file that is not announced',
      [manifest(), { name: 'bugs.ndjson', text: 'x' }],
      'no such file',
    ],
    ['a manifest that is not the first', [{ name: 'bugs.ndjson', text: 'x' }], 'first entry'],
    [
      'a file that claims more than announced',
      [
        manifest({ bugs: { lines: 1, bytes: 3, sha256: '0'.repeat(64) } }),
        { name: 'bugs.ndjson', text: 'abc', size: 8_000_000_000 },
      ],
      '8000000000',
    ],
    [
      'a file that breaks off',
      [
        manifest({ bugs: { lines: 1, bytes: 90_000, sha256: '0'.repeat(64) } }),
        { name: 'bugs.ndjson', text: 'abc', size: 90_000 },
      ],
      'breaks off',
    ],
    ['a file that stands there twice', [manifest(), manifest()], 'twice'],
  ])('with %s is refused, and nothing gets out of the folder', async (_, entries, naming) => {
    await expect(check(tarOf(...entries))).rejects.toThrow(naming)
  })

  test('that is none is refused', async () => {
    const path = join(place, 'none.tar.gz')
    writeFileSync(path, 'no gzip')
    await expect(check(path)).rejects.toThrow('none.tar.gz')
    symlinkSync(join(place, 'nowhere'), join(place, 'lost'))
    await expect(check(join(place, 'lost'))).rejects.toThrow('does not exist')
  })

  test('has equal bytes for equal files', async () => {
    const [one, other] = [join(place, 'one.tar.gz'), join(place, 'other.tar.gz')]
    for (const [folder, target] of [
      [write(buildParts()), one],
      [write(buildParts()), other],
    ] as const) {
      await pack(folder, ['manifest.json', 'bugs.ndjson'], target)
    }
    expect(readFileSync(one)).toEqual(readFileSync(other))
  })
})

test('a new tracker has groups of all roles, fields, values and a workflow', () => {
  const start = readFirstStart()
  expect(start.get('groups')?.map(({ role }) => role)).toContain('admin')
  expect(start.get('fields')?.map(({ name }) => name)).toContain('bug_status')
  expect(start.get('status_transitions')?.length).toBeGreaterThan(5)
})

test('a manifest without the list of missing files has none', () => {
  const text = readFileSync(join(write(buildParts()), 'manifest.json'), 'utf8')
  expect(parseManifest(text.replace(',"missing":[]', '')).missing).toEqual([])
})
