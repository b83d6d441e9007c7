import { describe, expect, test } from 'vitest'
import { get } from '../../support/client.ts'
import { type RefusalWorld, testRefusals } from '../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { ATTACHMENT_REFUSALS } from '../../support/tables/refusals/attachments.ts'
import { COMMENT_REFUSALS } from '../../support/tables/refusals/comments.ts'
import {
  buildDiscussionWorld,
  type DiscussionSenders,
} from '../../support/worlds/discussion-world.ts'

/**
 * Every number with which operations on comments, attachments, flags and visits can refuse, each by a
 * request that gets it and writes nothing.
 */

const REFUSALS = { ...ATTACHMENT_REFUSALS, ...COMMENT_REFUSALS }

const made = await buildDiscussionWorld()
const { bug, hidden } = made.names
const ids = async (id: string | undefined) =>
  (await loadRowsOfBug('comments', Number(id))).map((row) => String(row.id))
const { body } = await get(made.senders.insider, `/rest/bug/${bug}/comment`)
const aside = body.bugs[bug ?? ''].comments.find((one: { is_private: boolean }) => one.is_private)
const [comment = ''] = await ids(bug)
const [unseen = ''] = await ids(hidden)
const world: RefusalWorld<keyof DiscussionSenders> = {
  senders: made.senders,
  names: { ...made.names, comment, unseen, aside: String(aside.id) },
}

describe.each(Object.entries(REFUSALS))('%s', (_, refusals) => {
  testRefusals(refusals, () => world)
})

/**
 * The numbers that each operation documents, without those of Get Bug for operations that name no bug:
 * Update Attachment, Search Comment Tags and Update Comment Tags.
 */
test.each([
  { operation: 'Get Attachment', codes: [100, 101, 102, 304] },
  {
    operation: 'Create Attachment',
    codes: [100, 101, 102, 129, 130, 131, 133, 134, 140, 600, 601, 603, 604, 606],
  },
  {
    operation: 'Update Attachment',
    codes: [102, 129, 130, 131, 132, 133, 134, 140, 601, 603, 604],
  },
  { operation: 'Get Comments', codes: [100, 101, 102, 110, 111] },
  { operation: 'Create Comment', codes: [54, 100, 101, 109, 113, 114, 140] },
  { operation: 'Search Comment Tags', codes: [125] },
  { operation: 'Update Comment Tags', codes: [102, 125, 126, 127, 128] },
  { operation: 'Render Comment', codes: [100, 101, 102] },
  { operation: 'Update Last Visited', codes: [1300] },
])('$operation has requests above for all of $codes', ({ operation, codes }) => {
  const covered = (REFUSALS[operation] ?? []).map(({ code }) => code)
  expect(covered).toEqual(expect.arrayContaining(codes))
})
