import * as z from 'zod'
import {
  bugsById,
  parseBugRef,
  resolveBugs,
  separateVisibleBugs,
} from '../../platform/access/bug-set.ts'
import { visibleAttachmentCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { abortIf, commit, retryOnConflict, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, jsonList, limitTo, sql } from '../../platform/db/sql.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { MAX_ATTACHMENTS, selectFullBug } from '../../tracker/attachments/create-load.ts'
import { makeCreationParts } from '../../tracker/attachments/create-parts.ts'
import { isLinkType } from '../../tracker/attachments/link.ts'
import { deleteMarker, type StoredBytes, storeBytes } from '../../tracker/attachments/store.ts'
import { makeUpdateParts } from '../../tracker/attachments/update.ts'
import { decideUpdates } from '../../tracker/attachments/update-decide.ts'
import {
  type AttachmentUpdateRows,
  type CurrentAttachment,
  selectAttachmentsForUpdate,
} from '../../tracker/attachments/update-load.ts'
import { decideMarkdown } from '../../tracker/comments/plan.ts'
import { announceNotices, recordedNotices } from '../../tracker/notices/record-notice.ts'
import { recordAnswer, selectAnswer } from './answers.ts'
import { findBugReference } from './bug-reference.ts'
import { EVENT_FAULTS } from './faults.ts'
import { composeLinkTexts, type PullRequestEvent, pullRequestShape } from './pull-request-event.ts'
import { type ReceivedEvent, receiveEvent } from './receive.ts'

const a = aliasColumns(attachments, 'a')

/** Attachments of one link that are looked at. */
const MAX_LINKS = 500

const pullRequestOutput = z.union([
  z.strictObject({ error: z.literal(0), id: z.int().optional() }),
  z.strictObject({ error: z.literal(1), message: z.string() }),
])

type PullRequestOutput = z.input<typeof pullRequestOutput>
type Received = ReceivedEvent<PullRequestEvent>

/**
 * Links a pull request to the bug in its title with an attachment of the bot, or with the one that is
 * there; links of it on other bugs become obsolete. A pull request that is not about a bug that the bot
 * sees answers a message with status 200.
 */
export const receivePullRequest = operation(
  {
    method: 'POST',
    path: '/codehost/pull_request',
    summary: 'Link a pull request to the bug in its title',
    reference: 'codehost.md#link-a-pull-request',
    input: pullRequestShape,
    output: pullRequestOutput,
    faults: EVENT_FAULTS,
    requires: anyone,
    scope: 'write',
    credentials: 'ignored',
    isSigned: true,
  },
  async (ctx): Promise<PullRequestOutput> => {
    const received = await receiveEvent(ctx, 'pull_request', pullRequestShape)
    if (received === 'ping') {
      return { error: 0 }
    }
    const { action, pull_request: request } = received.event
    if (action !== undefined && action !== null && action !== 'opened') {
      return refuse('This pull request was not opened just now, so that nothing is done.')
    }
    const bugId = findBugReference(request.title)
    if (bugId === null) {
      return refuse('The title of the pull request holds no valid bug ID.')
    }
    const bytes: { stored?: StoredBytes } = {}
    return retryOnConflict(ctx, (ctx) => linkPullRequest(ctx, received, bugId, bytes))
  },
)

function refuse(message: string): PullRequestOutput {
  return { error: 1, message }
}

async function linkPullRequest(
  ctx: Ctx,
  received: Received,
  bugId: number,
  bytes: { stored?: StoredBytes },
): Promise<PullRequestOutput> {
  const refs = [parseBugRef(String(bugId))]
  const { answers, resolved, full, ...current } = await readBatch(ctx, {
    answers: selectAnswer(received),
    resolved: resolveBugs(received.bot, refs),
    full: selectFullBug(bugsById(received.bot, [bugId])),
    ...selectLinks(received),
  })
  const [known] = answers ?? []
  if (known !== undefined) {
    return JSON.parse(known.answer) as PullRequestOutput
  }
  if (separateVisibleBugs(received.bot, refs, resolved).ids.length === 0) {
    return refuse(`The title of the pull request names bug ${bugId}, which is no valid bug ID.`)
  }
  const links = current.attachments.filter(
    (link) => link.isVisible && link.isBugVisible && isLinkType(link.contentType, ctx.settings),
  )
  const own = links.filter((link) => link.bugId === bugId)
  const existing = own.find((link) => !link.isObsolete) ?? own[0]
  if (existing === undefined && full.length > 0) {
    const most = MAX_ATTACHMENTS.toLocaleString('en')
    return refuse(`Bug ${bugId} has ${most} attachments, so that it takes no other.`)
  }
  const moved = links.filter((link) => link.bugId !== bugId && !link.isObsolete)
  const change = { bugId, existing, moved, current }
  const parts = await makeParts(ctx, received, change, bytes)
  const rows = await commit(ctx, parts)
  if (existing === undefined && bytes.stored !== undefined) {
    deleteMarker(ctx, bytes.stored)
  }
  announceNotices(ctx, recordedNotices(rows.notices))
  return JSON.parse(String(rows.answer[0]?.response)) as PullRequestOutput
}

function selectLinks({ bot, event }: Received) {
  const ids = sql`(SELECT ${a.id} FROM attachments a
    WHERE ${a.linkUrl} = ${event.pull_request.html_url} ORDER BY ${a.id} ${limitTo(MAX_LINKS)})`
  return selectAttachmentsForUpdate(bot, ids, { inputs: [], obsoletesAttachments: true })
}

/** What a pull request changes: a new link, or an existing one, and those that have moved from other bugs. */
type LinkChange = {
  readonly bugId: number
  readonly existing: CurrentAttachment | undefined
  readonly moved: readonly CurrentAttachment[]
  readonly current: AttachmentUpdateRows
}

/** The parts of a commit, of which the notices come first. */
type NotedParts = Readonly<Record<string, Statement | readonly Statement[] | undefined>> & {
  readonly notices: readonly Statement[]
}

async function makeParts(
  ctx: Ctx,
  received: Received,
  change: LinkChange,
  bytes: { stored?: StoredBytes },
) {
  const { bugId, existing, moved } = change
  const created =
    existing === undefined ? await createParts(ctx, received, bugId, bytes) : undefined
  const reused =
    existing?.isObsolete === true
      ? updateParts(ctx, received, change, [existing], { is_obsolete: false, comment: '' })
      : undefined
  const gone =
    moved.length > 0
      ? updateParts(ctx, received, change, moved, {
          is_obsolete: true,
          comment: `This pull request is linked to bug ${bugId} now.`,
        })
      : undefined
  const sets = [created, reused, gone].flatMap((parts): NotedParts[] => (parts ? [parts] : []))
  const id =
    existing === undefined
      ? sql`(SELECT max(${a.id}) FROM attachments a WHERE ${a.objectKey} = ${bytes.stored?.objectKey})`
      : sql`CAST(${existing.id} AS INTEGER)`
  const answer = sql`json_object('error', 0, 'id', ${id})`
  return {
    guards: makeGuards(ctx, received, change),
    notices: sets.flatMap(({ notices }) => notices),
    changes: sets.flatMap(({ notices, ...others }) =>
      Object.values(others).flatMap((part) => part ?? []),
    ),
    delivery: received.identity === null ? [] : [recordAnswer(ctx, received, answer)],
    answer: sql`SELECT ${answer} AS response`,
  }
}

/** The bug must still be visible to the bot, and must have got no other attachment of the link meanwhile. */
function makeGuards(
  { settings }: Ctx,
  { bot, event }: Received,
  { bugId, current }: LinkChange,
): Statement[] {
  const known = jsonList(current.attachments.map(({ id }) => id))
  return [
    abortIf(sql`NOT EXISTS (SELECT 1 FROM bugs
      WHERE ${bugs.id} = ${bugId} AND ${bugsById(bot, [bugId]).condition})`),
    abortIf(sql`EXISTS (SELECT 1 FROM attachments
      WHERE ${attachments.linkUrl} = ${event.pull_request.html_url} AND ${attachments.bugId} = ${bugId}
        AND lower(${attachments.contentType}) = ${settings.LINK_CONTENT_TYPE.toLowerCase()}
        AND ${visibleAttachmentCondition(bot)} AND ${attachments.id} NOT IN ${known})`),
  ]
}

async function createParts(
  ctx: Ctx,
  { bot, event }: Received,
  bugId: number,
  bytes: { stored?: StoredBytes },
) {
  const address = event.pull_request.html_url
  const block = new Uint8Array(new TextEncoder().encode(address))
  bytes.stored ??= await storeBytes(ctx, { size: block.length, blocks: [block] })
  return makeCreationParts({
    person: bot,
    now: ctx.now,
    ids: [bugId],
    draft: {
      ...composeLinkTexts(event),
      contentType: ctx.settings.LINK_CONTENT_TYPE,
      isPrivate: false,
      isPatch: false,
      linkUrl: address,
    },
    stored: bytes.stored,
    body: '',
    isMarkdown: decideMarkdown(ctx.settings, undefined, true),
    edits: [],
  })
}

/** A link belongs to the code host, whoever attached it, so it is enough that the bot sees it. */
function updateParts(
  ctx: Ctx,
  { bot }: Received,
  { current }: LinkChange,
  links: readonly CurrentAttachment[],
  { comment, ...update }: { readonly is_obsolete: boolean; readonly comment: string },
) {
  const editable = links.map((link) => ({ ...link, isBugEditable: true, editsBugs: true }))
  const { decisions } = decideUpdates(
    bot,
    update,
    { ...current, attachments: editable },
    links.map(({ id }) => id),
  )
  return makeUpdateParts({
    personId: bot.id,
    now: ctx.now,
    isMinor: false,
    decisions,
    flags: decisions.flatMap(({ flags }) => flags ?? []),
    isMarkdown: decideMarkdown(ctx.settings, undefined, true),
    comment,
  })
}
