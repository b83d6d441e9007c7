import { expect } from 'vitest'
import { attachments } from '../../../src/platform/db/schema/bugs.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { type Answer, post } from '../client.ts'
import { fetchWith } from '../clients/service.ts'
import { execute } from '../database/execute.ts'
import type { TestBug, TestPerson } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

type Body = Record<string, unknown>

/** The body of a new attachment, complete enough to be accepted; its bytes are `hi`. */
export function buildAttachmentBody(more: Body = {}): Body {
  return {
    data: 'aGk=',
    file_name: 'file.txt',
    summary: 'A file',
    content_type: 'text/plain',
    ...more,
  }
}

/** Sends an attachment to a bug and returns any answer. */
export function sendAttachment(
  who: TestPerson,
  bug: number | string,
  more: Body = {},
): Promise<Answer> {
  return post(who, `/rest/bug/${bug}/attachment`, buildAttachmentBody(more))
}

/** Attaches a file over HTTP; returns its ID. */
export async function postAttachment(
  who: TestPerson,
  bug: number,
  more: Body = {},
): Promise<number> {
  const answer = await sendAttachment(who, bug, more)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.ids[0]
}

/** Sends an attachment with other settings or bindings and returns any answer. */
export async function sendAttachmentWith(
  bindings: object,
  who: TestPerson,
  bug: number,
  more: Body = {},
): Promise<{ status: number; body: { code?: number; message?: string; ids?: number[] } }> {
  const answer = await fetchWith(bindings, `/rest/bug/${bug}/attachment`, {
    method: 'POST',
    headers: { 'x-tracker-api-key': who.key },
    body: JSON.stringify(buildAttachmentBody(more)),
  })
  return { status: answer.status, body: await answer.json() }
}

type NewAttachment = { readonly summary: string; readonly isPrivate?: boolean }

/** Inserts an attachment without bytes; returns its ID. */
export async function insertAttachment(
  about: TestBug,
  submitter: TestPerson,
  { summary, isPrivate = false }: NewAttachment,
): Promise<number> {
  const [row] = await execute(
    db
      .insert(attachments)
      .values({
        bugId: about.id,
        submitterId: submitter.id,
        createdAt: NOW,
        changedAt: NOW,
        fileName: 'file.txt',
        summary,
        summaryFold: fold(summary),
        contentType: 'text/plain',
        size: 1,
        objectKey: uniqueName('object'),
        sha256: '',
        isPrivate,
      })
      .returning({ id: attachments.id }),
  )
  return Number(row?.id)
}
