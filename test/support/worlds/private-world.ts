import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { postAttachment } from '../builders/attachments.ts'
import { postBug, restrictBug } from '../builders/bugs.ts'
import { insertFlagType } from '../builders/flags.ts'
import { insertGroup } from '../builders/groups.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct } from '../builders/products.ts'
import type { TestPerson } from '../builders/types.ts'
import { ANYONE, post, put, type Sender } from '../client.ts'
import { updateAttachment } from '../clients/attachments.ts'
import { execute } from '../database/execute.ts'
import { loadFlags } from '../database/flags.ts'

/**
 * A bug with all kinds of private things, a hidden one, and one with a private description. Each secret is a
 * word that occurs nowhere else, so that answers can be searched for it.
 */

/** Everybody who sends requests. */
export const READERS = [
  'anyone',
  'stranger',
  'submitter',
  'requestee',
  'editor',
  'insider',
  'member',
] as const

export type Reader = (typeof READERS)[number]

/** The people who may know each secret. */
const KNOWN_TO = {
  privateComment: ['insider'],
  privateTag: ['insider'],
  insidersFile: ['insider'],
  insidersBytes: ['insider'],
  insidersFlag: ['insider'],
  submittersFile: ['insider', 'submitter'],
  submittersBytes: ['insider', 'submitter'],
  submittersFlag: ['insider', 'submitter'],
  insidersRemark: ['insider'],
  privateDescription: ['insider'],
  hidden: ['member'],
  hiddenBytes: ['member'],
} as const satisfies Record<string, readonly Reader[]>

export type Secret = keyof typeof KNOWN_TO

export const SECRETS = Object.keys(KNOWN_TO) as Secret[]

export type PrivateWorld = Awaited<ReturnType<typeof buildPrivateWorld>>

/** Twelve letters, whose base64 stands in that of no longer text by chance. */
function secret(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => String.fromCharCode(97 + (byte % 26)))
    .join('')
}

function wordsToKeep(): Record<Secret, string> {
  const words = Object.fromEntries(SECRETS.map((name) => [name, secret()])) as Record<
    Secret,
    string
  >
  return {
    ...words,
    insidersBytes: btoa(words.insidersFile),
    submittersBytes: btoa(words.submittersFile),
    hiddenBytes: btoa(words.hidden),
  }
}

async function accepted(who: TestPerson, path: string, body: object): Promise<{ id: number }> {
  const answer = await post(who, path, body)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

async function changed(who: TestPerson, path: string, body: object): Promise<void> {
  const answer = await put(who, path, body)
  expect(answer.status, answer.text).toBe(200)
}

/** Makes it all, as people do: through the service. */
export async function buildPrivateWorld() {
  const words = wordsToKeep()
  const insider = await insertPerson({ roles: ['insider', 'editbugs', 'timetracking'] })
  const colleague = await insertPerson({ roles: ['insider'] })
  const submitter = await insertPerson()
  const requestee = await insertPerson()
  const stranger = await insertPerson()
  const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  const member = await insertPerson({ roles: ['editbugs'] })
  const place = await insertProduct()
  const scope = [{ productId: place.id }]
  const types = {
    insiders: await insertFlagType({ name: words.insidersFlag, target: 'attachment' }, scope),
    submitters: await insertFlagType({ name: words.submittersFlag, target: 'attachment' }, scope),
    hidden: await insertFlagType({ name: words.hidden, target: 'bug' }, scope),
  }

  const open = await postBug(submitter, place, {
    description: 'Nothing to hide.',
    cc: [stranger.login, editor.login],
  })
  const insidersFile = await postAttachment(insider, open, {
    ...fileOf(words.insidersFile),
    is_private: true,
    flags: [{ name: types.insiders.name, status: '?', requestee: colleague.login }],
  })
  const submittersFile = await postAttachment(submitter, open, {
    ...fileOf(words.submittersFile),
    flags: [{ name: types.submitters.name, status: '?', requestee: requestee.login }],
  })
  const publicFile = await postAttachment(submitter, open, { summary: 'For all' })
  const privateComment = await accepted(insider, `/rest/bug/${open}/comment`, {
    comment: `Do not tell: ${words.privateComment}`,
    is_private: true,
    work_time: 1.5,
  })
  await changed(insider, `/rest/bug/comment/${privateComment.id}/tags`, { add: [words.privateTag] })
  const changes = [
    [insidersFile, { summary: `Renamed ${words.insidersFile}` }],
    [submittersFile, { is_private: true }],
    [submittersFile, { summary: `Renamed ${words.submittersFile}` }],
    [submittersFile, { comment: `Among us: ${words.insidersRemark}` }],
  ] as const
  for (const [id, body] of changes) {
    expect((await updateAttachment(insider, id, body)).status).toBe(200)
  }
  await accepted(submitter, `/rest/bug/${open}/comment`, { comment: 'Anybody there?' })

  const described = await postBug(insider, place, {
    description: words.privateDescription,
    comment_is_private: true,
  })
  const hidden = await postBug(member, place, { summary: words.hidden, cc: [stranger.login] })
  const hiddenFile = await postAttachment(member, hidden, {
    ...fileOf(words.hidden),
    bug_flags: [{ name: types.hidden.name, status: '+' }],
  })
  const hiddenComment = await accepted(member, `/rest/bug/${hidden}/comment`, {
    comment: words.hidden,
  })
  await changed(member, `/rest/bug/comment/${hiddenComment.id}/tags`, { add: [words.hidden] })
  for (const one of [stranger, member]) {
    await accepted(one, `/rest/bug_user_last_visit/${hidden}`, {})
  }
  await restrictBug(hidden, await insertGroup([member]))
  await execute(sql`DELETE FROM bug_cc WHERE bug_id = ${hidden}`)

  const people: Record<Reader, Sender> = {
    anyone: ANYONE,
    stranger,
    submitter,
    requestee,
    editor,
    insider,
    member,
  }
  const flagOn = async (bug: number, type: { id: number }) =>
    Number((await loadFlags(bug)).find((row) => row.type_id === type.id)?.id)
  return {
    words,
    people,
    logins: { insider, colleague, submitter, requestee, stranger, editor, member },
    types,
    bugs: { open, described, hidden },
    files: { insiders: insidersFile, submitters: submittersFile, public: publicFile, hiddenFile },
    comments: { private: privateComment.id, hidden: hiddenComment.id },
    flags: {
      insiders: await flagOn(open, types.insiders),
      submitters: await flagOn(open, types.submitters),
      hidden: await flagOn(hidden, types.hidden),
    },
  }
}

function fileOf(word: string) {
  return {
    summary: `About ${word}`,
    file_name: `${word}.txt`,
    data: btoa(word),
    comment: `I attach ${word}`,
  }
}

/** Whether a person may know a secret. */
export function isKnownTo(reader: string, name: Secret): boolean {
  return (KNOWN_TO[name] as readonly string[]).includes(reader)
}

/** Asserts that a text tells a reader no secret that is not theirs, and each of those that it has to show. */
export function expectSecrets(
  { words }: Pick<PrivateWorld, 'words'>,
  reader: string,
  text: string,
  shown: readonly Secret[],
): void {
  const revealed = SECRETS.filter((name) => text.includes(words[name]))
  expect(revealed.filter((name) => !isKnownTo(reader, name))).toEqual([])
  expect(shown.filter((name) => isKnownTo(reader, name) && !revealed.includes(name))).toEqual([])
}
