import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { systemCtx } from '../../../src/platform/background.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import { openSession } from '../../../src/platform/db/session.ts'
import {
  createAttachmentInput,
  createAttachments,
} from '../../../src/tracker/attachments/create.ts'
import { deleteMarker, deleteOrphans, storeBytes } from '../../../src/tracker/attachments/store.ts'
import {
  buildAttachmentBody,
  postAttachment,
  sendAttachmentWith,
} from '../../support/builders/attachments.ts'
import { postBug } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW } from '../../support/builders/unique.ts'
import { readAttachment } from '../../support/clients/attachments.ts'
import { execute } from '../../support/database/execute.ts'
import { loadFootprint } from '../../support/database/footprint.ts'
import { breakBucket, listObjectKeys } from '../../support/fakes/bucket.ts'
import { openFailingSession } from '../../support/fakes/sessions.ts'

const DAY = 86_400

const author = await insertPerson()
const bug = await postBug(author, await insertProduct())

function systemAt(now: number, bindings: object = {}): Ctx {
  const ctx = systemCtx(env, createExecutionContext())
  return { ...ctx, now, env: { ...env, ...bindings } }
}

const upload = (text: string) => {
  const blocks = [...text].map((one) => Uint8Array.from([one.charCodeAt(0)]))
  return { size: blocks.reduce((sum, block) => sum + block.length, 0), blocks }
}

const bytesAt = async (key: string) => (await env.FILES.get(key))?.text()

async function objectKeyOf(id: number): Promise<string> {
  const [row] = await execute(sql`SELECT object_key FROM attachments WHERE id = ${id}`)
  return String(row?.object_key)
}

describe('bytes', () => {
  test('let others in while a bucket takes them as fast as they come', async () => {
    const piece = 64 * 1024
    const blocks = Array.from({ length: 20 }, () => new Uint8Array(piece))
    const bytesBetween: number[] = []
    let taken = 0
    const files = {
      put: async (_key: string, body: ReadableStream<Uint8Array> | string) => {
        for await (const bytes of typeof body === 'string' ? [] : body) {
          taken += bytes.length
        }
        return {}
      },
    }
    const storing = storeBytes(systemAt(NOW, { FILES: files }), { size: 20 * piece, blocks })
    for (let before = 0; taken < 20 * piece; before = taken) {
      await scheduler.wait(0)
      bytesBetween.push(taken - before)
    }
    await storing
    expect(Math.max(...bytesBetween)).toBeLessThanOrEqual(10 * piece)
  })

  test('are kept whole under a key of their own, with their digest', async () => {
    const [one, two] = [
      await storeBytes(systemAt(NOW), upload('hi')),
      await storeBytes(systemAt(NOW), upload('hi')),
    ]
    expect(one.objectKey).not.toBe(two.objectKey)
    expect(await bytesAt(one.objectKey)).toBe('hi')
    expect(one).toMatchObject({
      size: 2,
      sha256: '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
    })
  })

  test('of a row that is written lose their note, and are still there', async () => {
    const id = await postAttachment(author, bug)
    const key = await objectKeyOf(id)
    expect(
      (await listObjectKeys('unsettled/')).filter((one) => one.endsWith(key.slice(-36))),
    ).toEqual([])
    expect(await bytesAt(key)).toBe('hi')
  })
})

describe('an interrupted upload leaves no attachment:', () => {
  const noRows = async () => {
    const rows = await execute(sql`SELECT id FROM attachments WHERE bug_id = ${bug}`)
    return rows.length
  }

  test('when the bucket is down, and works when it is repeated', async () => {
    const before = [await noRows(), await loadFootprint()]
    const { status, body } = await sendAttachmentWith(breakBucket('put'), author, bug)
    expect({ status, code: body.code }).toEqual({ status: 500, code: -32000 })
    expect([await noRows(), await loadFootprint()]).toEqual(before)
    const again = await sendAttachmentWith({}, author, bug)
    expect(again.status).toBe(201)
    expect(await readAttachment(author, again.body.ids?.[0] ?? 0, '')).toMatchObject({
      data: 'aGk=',
    })
  })

  test('when any statement of the write fails, and the sweep removes the bytes', async () => {
    const before = [await noRows(), await loadFootprint()]
    const known = new Set(await listObjectKeys('attachments/'))
    const input = createAttachmentInput.parse({
      id_or_alias: String(bug),
      ...buildAttachmentBody(),
    })
    for (let place = 0; place < 5; place += 1) {
      const ctx = buildCtx(author, [], openFailingSession(2, place))
      await expect(createAttachments.run(ctx, input)).rejects.toThrow('interrupted')
    }
    expect([await noRows(), await loadFootprint()]).toEqual(before)
    const left = (await listObjectKeys('attachments/')).filter((key) => !known.has(key))
    expect(left).toHaveLength(5)
    await deleteOrphans(systemAt(NOW + 2 * DAY))
    expect(await listObjectKeys('attachments/')).not.toEqual(expect.arrayContaining(left))
    for (const key of left) {
      expect(await bytesAt(key)).toBeUndefined()
    }
  })
})

describe('the sweep', () => {
  test('keeps bytes that are younger than a day or have a row', async () => {
    const young = await storeBytes(systemAt(NOW), upload('young'))
    const id = await postAttachment(author, bug)
    const key = await objectKeyOf(id)
    // as if the worker had died right after the commit
    const note = `unsettled/${String(NOW - 3 * DAY).padStart(12, '0')}/${key.slice(-36)}`
    await env.FILES.put(note, '')
    await deleteOrphans(systemAt(NOW))
    expect(await bytesAt(young.objectKey)).toBe('young')
    expect(await bytesAt(key)).toBe('hi')
    expect(await listObjectKeys(note)).toEqual([])
    expect(await listObjectKeys(young.markerKey)).toEqual([young.markerKey])
  })

  test('strikes notes without bytes', async () => {
    const broken = systemAt(NOW - 4 * DAY, {
      FILES: {
        put: (key: string, value: string) =>
          key.startsWith('unsettled/')
            ? env.FILES.put(key, value)
            : Promise.reject(new Error('the bucket is down')),
      },
    })
    await expect(storeBytes(broken, upload('x'))).rejects.toThrow('down')
    const [note] = await listObjectKeys(`unsettled/${String(NOW - 4 * DAY).padStart(12, '0')}`)
    expect(note).toBeDefined()
    await deleteOrphans(systemAt(NOW))
    expect(await listObjectKeys(String(note))).toEqual([])
  })

  test('keeps the note when the bytes could not be removed, and finishes the next time', async () => {
    const { objectKey, markerKey } = await storeBytes(systemAt(NOW - 5 * DAY), upload('x'))
    await expect(deleteOrphans(systemAt(NOW, breakBucket('delete')))).rejects.toThrow('down')
    expect(await listObjectKeys(markerKey)).toEqual([markerKey])
    await deleteOrphans(systemAt(NOW))
    expect([await listObjectKeys(markerKey), await bytesAt(objectKey)]).toEqual([[], undefined])
  })

  test('does no harm when two run at once, or when one was cut off between the two deletions', async () => {
    const id = await postAttachment(author, bug)
    const kept = await objectKeyOf(id)
    const stamp = String(NOW - 5 * DAY).padStart(12, '0')
    await env.FILES.put(`unsettled/${stamp}/${kept.slice(-36)}`, '')
    const orphans = await Promise.all(
      ['a', 'b', 'c'].map((text) => storeBytes(systemAt(NOW - 5 * DAY), upload(text))),
    )
    await env.FILES.delete(orphans[0]?.objectKey ?? '')
    await Promise.all([deleteOrphans(systemAt(NOW)), deleteOrphans(systemAt(NOW))])
    for (const { objectKey } of orphans) {
      expect(await bytesAt(objectKey)).toBeUndefined()
    }
    expect(await listObjectKeys(`unsettled/${stamp}`)).toEqual([])
    expect(await readAttachment(author, id, '')).toMatchObject({ data: 'aGk=' })
  })

  test('takes a bounded number at a time', async () => {
    const stamp = String(NOW - 8 * DAY).padStart(12, '0')
    const names = Array.from({ length: 203 }, () => crypto.randomUUID())
    await Promise.all(names.map((name) => env.FILES.put(`unsettled/${stamp}/${name}`, '')))
    await deleteOrphans(systemAt(NOW))
    expect(await listObjectKeys(`unsettled/${stamp}`)).toHaveLength(3)
    await deleteOrphans(systemAt(NOW))
    expect(await listObjectKeys(`unsettled/${stamp}`)).toEqual([])
  })

  test('costs one round trip, none when nothing is old, and takes the oldest first', async () => {
    await deleteOrphans(systemAt(NOW))
    const idle = systemAt(NOW)
    await deleteOrphans(idle)
    expect(idle.session.cost.trips).toBe(0)
    await storeBytes(systemAt(NOW - 6 * DAY), upload('x'))
    const busy = { ...systemAt(NOW), session: openSession(env.DB, 'first-primary') }
    await deleteOrphans(busy)
    expect(busy.session.cost.trips).toBe(1)
  })

  test('has nothing to do for a note that was struck', async () => {
    const ctx = systemAt(NOW - 7 * DAY)
    const stored = await storeBytes(ctx, upload('x'))
    const deferred: (() => Promise<unknown>)[] = []
    deleteMarker({ ...ctx, defer: (work) => deferred.push(work) }, stored)
    await Promise.all(deferred.map((work) => work()))
    await deleteOrphans(systemAt(NOW))
    expect(await bytesAt(stored.objectKey)).toBe('x')
  })
})
