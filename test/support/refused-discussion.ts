import { attachedFile, update } from './files.ts'
import { flagsOf, flagType } from './flags.ts'
import { filed, restrict } from './reading.ts'
import { group, person, product, type TestPerson, unique } from './world.ts'

/** People who say, attach and flag what they may not. */
export type Askers = {
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

/** What requests name in braces: `{bug}`. */
export type Names = Readonly<Record<string, string>>

/** One type of flag for each way to be refused, for bugs and for attachments under the same name. */
async function typesIn(productId: number): Promise<Record<string, string>> {
  const granters = await group()
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
    names[kind] = unique(kind)
    for (const target of ['bug', 'attachment'] as const) {
      for (let times = kind === 'twin' ? 2 : 1; times > 0; times -= 1) {
        await flagType({ name: names[kind], target, ...values }, [{ productId }])
      }
    }
  }
  return names
}

/** A world in which everything that requests name exists, but what they call `NoSuch`. */
export async function refusedDiscussion(): Promise<{ askers: Askers; names: Names }> {
  const author = await person()
  const editor = await person({ roles: ['editbugs'] })
  const insider = await person({ roles: ['insider', 'editbugs'] })
  const [stranger, disabled] = [await person(), await person({ loginDeniedText: 'gone' })]
  const timer = await person({ roles: ['timetracking'] })
  const team = await group()
  const [place, closed] = [
    await product(),
    await product({ controls: [{ group: team, canEdit: true }] }),
  ]
  const types = await typesIn(place.id)
  const [bug, foreignBug, hidden, locked] = [
    await filed(author, place, { description: 'It is.' }),
    await filed(editor, place),
    await filed(author, place),
    await filed(author, closed),
  ]
  const file = await attachedFile(author, bug)
  const other = await attachedFile(author, bug)
  const secret = await attachedFile(insider, bug, { is_private: true })
  const onHidden = await attachedFile(author, hidden)
  const twice = [1, 2].map(() => ({ name: types.review, status: '+', new: true }))
  await update(editor, file, {
    flags: [...twice, { name: types.single, status: '?' }],
    bug_flags: [...twice, { name: types.single, status: '?' }],
  })
  await update(editor, other, { flags: [{ name: types.review, status: '?' }] })
  await restrict(hidden, team)
  const foreign = (await flagsOf(bug)).find((row) => row.attachment_id === other)
  return {
    askers: { anyone: {}, stranger, author, editor, insider, timer },
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
