import { postAttachment } from '../builders/attachments.ts'
import { postBug, restrictBug } from '../builders/bugs.ts'
import { insertFlagType } from '../builders/flags.ts'
import { insertGroup } from '../builders/groups.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct } from '../builders/products.ts'
import type { TestPerson } from '../builders/types.ts'
import { uniqueName } from '../builders/unique.ts'
import { updateAttachment } from '../clients/attachments.ts'
import { loadFlags } from '../database/flags.ts'

/** People whose requests are refused. */
export type DiscussionSenders = {
  /** Without credentials. */
  readonly anyone: { readonly key?: string }
  /** Signed in, without any right. */
  readonly stranger: TestPerson
  /** Reported the bugs and attached the files; in no group. */
  readonly author: TestPerson
  readonly editor: TestPerson
  readonly insider: TestPerson
  /** Tracks time. */
  readonly timer: TestPerson
}

/** One type of flag for each way to be refused, for bugs and for attachments under the same name. */
async function typesIn(productId: number): Promise<Record<string, string>> {
  const granters = await insertGroup()
  const kinds = {
    review: {},
    guarded: { grantGroupId: granters.id, requestGroupId: granters.id },
    impersonal: { isRequesteeble: false },
    answer: { isRequestable: false },
    single: { isMultiplicable: false },
    twin: {},
    retired: { isActive: false },
  }
  const names: Record<string, string> = {}
  for (const [kind, values] of Object.entries(kinds)) {
    names[kind] = uniqueName(kind)
    for (const target of ['bug', 'attachment'] as const) {
      for (let times = kind === 'twin' ? 2 : 1; times > 0; times -= 1) {
        await insertFlagType({ name: names[kind], target, ...values }, [{ productId }])
      }
    }
  }
  return names
}

/** A world in which everything exists that the refused requests name, except `NoSuch`. */
export async function buildDiscussionWorld(): Promise<{
  senders: DiscussionSenders
  names: Readonly<Record<string, string>>
}> {
  const author = await insertPerson()
  const editor = await insertPerson({ roles: ['editbugs'] })
  const insider = await insertPerson({ roles: ['insider', 'editbugs'] })
  const [stranger, disabled] = [
    await insertPerson(),
    await insertPerson({ loginDeniedText: 'gone' }),
  ]
  const timer = await insertPerson({ roles: ['timetracking'] })
  const team = await insertGroup()
  const [place, closed] = [
    await insertProduct(),
    await insertProduct({ controls: [{ group: team, canEdit: true }] }),
  ]
  const types = await typesIn(place.id)
  const [bug, foreignBug, hidden, locked] = [
    await postBug(author, place, { description: 'It is.' }),
    await postBug(editor, place),
    await postBug(author, place),
    await postBug(author, closed),
  ]
  const file = await postAttachment(author, bug)
  const other = await postAttachment(author, bug)
  const secret = await postAttachment(insider, bug, { is_private: true })
  const onHidden = await postAttachment(author, hidden)
  const twice = [1, 2].map(() => ({ name: types.review, status: '+', new: true }))
  await updateAttachment(editor, file, {
    flags: [...twice, { name: types.single, status: '?' }],
    bug_flags: [...twice, { name: types.single, status: '?' }],
  })
  await updateAttachment(editor, other, { flags: [{ name: types.review, status: '?' }] })
  await restrictBug(hidden, team)
  const foreign = (await loadFlags(bug)).find((row) => row.attachment_id === other)
  return {
    senders: { anyone: {}, stranger, author, editor, insider, timer },
    names: {
      ...types,
      ...{ disabled: disabled.login, stranger: stranger.login, foreign: String(foreign?.id) },
      ...{ bug: String(bug), hidden: String(hidden), locked: String(locked) },
      foreignBug: String(foreignBug),
      ...{ file: String(file), secret: String(secret), onHidden: String(onHidden) },
      long: 'x'.repeat(65_536),
    },
  }
}
