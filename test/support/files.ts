import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { type Answer, get, post, put } from './client.ts'
import { askWith } from './service.ts'
import type { TestPerson } from './world.ts'

type Body = Record<string, unknown>

/** The body of a new attachment, complete enough to be accepted; its bytes are `hi`. */
export function newFile(more: Body = {}): Body {
  return {
    data: 'aGk=',
    file_name: 'file.txt',
    summary: 'A file',
    content_type: 'text/plain',
    ...more,
  }
}

/** Sends an attachment to a bug. */
export function attach(who: TestPerson, bug: number | string, more: Body = {}): Promise<Answer> {
  return post(who, `/rest/bug/${bug}/attachment`, newFile(more))
}

/** Attaches a file that must be accepted; answers its ID. */
export async function attachedFile(who: TestPerson, bug: number, more: Body = {}): Promise<number> {
  const answer = await attach(who, bug, more)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.ids[0]
}

/** Changes an attachment. */
export function update(who: TestPerson, id: number, body: Body): Promise<Answer> {
  return put(who, `/rest/bug/attachment/${id}`, body)
}

/** The attachment as somebody reads it. */
export async function file(who: { key?: string }, id: number, query = '?exclude_fields=data') {
  const answer = await get(who, `/rest/bug/attachment/${id}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.attachments[id]
}

/** Sends an attachment under other settings or bindings. */
export async function attachWith(
  bindings: object,
  who: TestPerson,
  bug: number,
  more: Body = {},
): Promise<{ status: number; body: { code?: number; message?: string; ids?: number[] } }> {
  const answer = await askWith(bindings, `/rest/bug/${bug}/attachment`, {
    method: 'POST',
    headers: { 'x-tracker-api-key': who.key },
    body: JSON.stringify(newFile(more)),
  })
  return { status: answer.status, body: await answer.json() }
}

/** The bucket, where the operations of these names fail in the way of a platform that is down. */
export function brokenFiles(...broken: (keyof R2Bucket)[]): { FILES: R2Bucket } {
  const FILES = new Proxy(env.FILES, {
    get(files, name: keyof R2Bucket) {
      return broken.includes(name)
        ? async () => {
            throw new Error('the bucket is down')
          }
        : files[name].bind(files)
    },
  })
  return { FILES }
}

/** The keys of all objects below a prefix. */
export async function keysBelow(prefix: string): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix })
  return objects.map(({ key }) => key)
}
