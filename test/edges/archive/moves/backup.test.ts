import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { backUp } from '../../../../src/edges/archive/back-up.ts'
import { systemCtx } from '../../../../src/platform/background.ts'
import {
  exportTracker,
  importTracker,
  startAnew,
  type TestArchive,
} from '../../../support/archive.ts'
import { postAttachment } from '../../../support/builders/attachments.ts'
import { buildBugBody } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { ANYONE, expectFault, get, post, put } from '../../../support/client.ts'

const DAY = 86_400
const TODAY = Math.floor(Date.now() / 1000)

/** Runs the job as cron does on a day, `days` from now. */
async function runOn(days: number, files: R2Bucket = env.FILES, keep = '3'): Promise<void> {
  const bindings = { ...env, BACKUP_DAYS: keep, FILES: files }
  await backUp({ ...systemCtx(bindings, createExecutionContext()), now: TODAY + days * DAY })
}

type Backup = { name: string; since: string | null; moment: string; pieces: string[] }

async function listBackups(admin: TestPerson): Promise<Backup[]> {
  const { status, text, body } = await get(admin, '/rest/backup')
  expect(status, text).toBe(200)
  return body.backups
}

/** Reads a backup of the bucket as an archive. */
async function readBackup(admin: TestPerson, { name, pieces }: Backup): Promise<TestArchive> {
  const parts = new Map<string, string>()
  for (const piece of pieces) {
    const answer = await get(admin, `/rest/backup/${name}/${piece}`)
    expect(answer.status, piece).toBe(200)
    const [part = ''] = piece.split('.')
    parts.set(part, (parts.get(part) ?? '') + answer.text)
  }
  const files = new Map<string, string>()
  for (const line of (parts.get('objects') ?? '').split('\n').filter(Boolean)) {
    const { digest, key } = JSON.parse(line)
    files.set(digest, (await get(admin, `/rest/backup/${name}/${key}`)).text)
  }
  parts.delete('objects')
  return { parts, files }
}

async function buildTracker(): Promise<{ admin: TestPerson; ann: TestPerson; bug: number }> {
  const admin = await startAnew('boss@example.test')
  const ann = await insertPerson({ roles: ['editbugs'] })
  const { id: bug } = (await post(ann, '/rest/bug', buildBugBody(await insertProduct()))).body
  await postAttachment(ann, bug)
  return { admin, ann, bug }
}

describe('backups in the bucket', () => {
  test('bring a lost tracker back, the whole one first and then what changed', async () => {
    const { admin, ann, bug } = await buildTracker()
    await runOn(0)
    expect(
      (await put(ann, `/rest/bug/${bug}`, { priority: 'P1', comment: { body: 'Later' } })).status,
    ).toBe(200)
    await runOn(1)
    const [whole, changes, ...more] = await listBackups(admin)
    expect(more).toEqual([])
    expect(whole).toMatchObject({ since: null })
    expect(changes).toMatchObject({ since: whole?.moment })
    const archives = [
      await readBackup(admin, whole as Backup),
      await readBackup(admin, changes as Backup),
    ] as const
    const lost = await exportTracker(admin)

    const root = await startAnew(admin.login, admin.key)
    await importTracker(root, archives[0])
    await importTracker(root, archives[1], { archive: '2' })
    const restored = await exportTracker(root)
    // using a key is no change of the tracker
    const withoutUse = (lines = '') => lines.replace(/"last_\w+":"[^"]*"/g, '')
    for (const [name, lines] of lost.parts) {
      if (name !== 'api_keys') {
        expect(withoutUse(restored.parts.get(name)), name).toBe(withoutUse(lines))
      }
    }
    expect(restored.files).toEqual(lost.files)
    expect(restored.files.size).toBe(1)
  })

  test('are the same when runs break off', async () => {
    const { admin } = await buildTracker()
    await runOn(0)
    const [undisturbed] = await listBackups(admin)
    const expected = await readBackup(admin, undisturbed as Backup)
    await env.FILES.delete('backups/state.json')
    for (let puts = 0; (await listBackups(admin)).length === 0; puts += 1) {
      await runOn(0, breakOffAfter(puts)).catch(() => {})
    }
    const [again] = await listBackups(admin)
    expect(again).toEqual(undisturbed)
    expect((await readBackup(admin, again as Backup)).parts.get('bugs')).toBe(
      expected.parts.get('bugs'),
    )
  })

  test('are whole once a week, and deleted when nothing that is kept rests on them', async () => {
    const { admin } = await buildTracker()
    for (let day = 0; day <= 16; day += 1) {
      await runOn(day)
      // a second run of the day does nothing
      await runOn(day)
    }
    const backups = await listBackups(admin)
    const nameOf = (day: number) => new Date((TODAY + day * DAY) * 1000).toISOString().slice(0, 10)
    // 13, 14, 15 and 16 are kept, and 13 rests on what came since 7
    expect(backups.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, n) => nameOf(7 + n)),
    )
    expect(backups.filter(({ since }) => since === null).map(({ name }) => name)).toEqual([
      nameOf(7),
      nameOf(14),
    ])
    const { objects } = await env.FILES.list({ prefix: 'backups/' })
    const folders = new Set(objects.map(({ key }) => key.split('/')[1]))
    expect([...folders].filter((name) => name !== 'state.json').sort()).toEqual(
      backups.map(({ name }) => name),
    )
  })

  test('are made only where BACKUP_DAYS says so', async () => {
    await buildTracker()
    await runOn(0, env.FILES, '0')
    expect((await env.FILES.list({ prefix: 'backups/' })).objects).toEqual([])
  })

  test('are for administrators, and nothing else of the bucket is read through them', async () => {
    const { admin, ann } = await buildTracker()
    await runOn(0)
    const [{ name, pieces }] = (await listBackups(admin)) as [Backup]
    for (const path of ['/rest/backup', `/rest/backup/${name}/${pieces[0]}`]) {
      expectFault(await get(ann, path), 401, 304)
      expectFault(await get(ANYONE, path), 401, 410)
    }
    for (const piece of ['../state.json', 'unsettled/x', 'x.1.ndjson', '%2E%2E%2Fstate.json']) {
      expect((await get(admin, `/rest/backup/${name}/${piece}`)).status, piece).toBe(404)
    }
    expectFault(await get(admin, `/rest/backup/2000-01-01/${pieces[0]}`), 404, 51, '2000-01-01')
  })
})

/** The bucket, whose writes fail after so many. */
function breakOffAfter(puts: number): R2Bucket {
  let left = puts
  return new Proxy(env.FILES, {
    get(files, name) {
      const member = Reflect.get(files, name)
      if (typeof member !== 'function') {
        return member
      }
      return (...args: unknown[]) => {
        if (name === 'put') {
          left -= 1
          if (left < 0) {
            throw new Error('broken off')
          }
        }
        return member.apply(files, args)
      }
    },
  })
}
