import type { SQL } from 'drizzle-orm'
import type { Ctx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import { noticeMails, notices } from '../../platform/db/schema/notices.ts'
import { columnNames, jsonRows, sql } from '../../platform/db/sql.ts'
import { errorFacts, log } from '../../platform/lib/log.ts'
import type { MailOutcome } from '../../platform/mail/outcome.ts'
import { type Mail, sendMails } from '../../platform/mail/send.ts'
import type { ChangesPart } from './load-changes.ts'
import { composePersonalMails } from './personal-mail.ts'
import type { Change, Recipient } from './types.ts'

/** Mails that are composed and sent together: few enough to be in memory at once. */
const MAILS_PER_BATCH = 50

/** After so much time it is recorded who has got a mail, so that few get it twice when the worker dies. */
const RECORD_EVERY_MS = 10_000

/** After so much time no further part begins: another invocation goes on, before the platform ends this one. */
const MAX_MAILING_MS = 5 * 60_000

/** Behind each part, of which there may be hundreds without a mail. */
const PAUSE_MS = 1

export type MailingResult = {
  readonly mailCount: number
  readonly settled: SettledMails
  /** How many people were refused in earlier attempts. */
  readonly refusedBefore: number
  readonly isRecorded: boolean
  /** Whether the mails of all recipients were tried. */
  readonly isComplete: boolean
}

/** The people whose mail needs no retry, because it was accepted or refused for good. */
type SettledMails = {
  readonly acceptedIds: readonly number[]
  readonly refusedIds: readonly number[]
}

type PersonalMail = Mail & { readonly noticeId: number; readonly personId: number }

type MailingState = {
  readonly result: PromiseWithResolvers<MailingResult>
  mailCount: number
  waiting: number
  isRecorded: boolean
  isComplete: boolean
  isBegun: boolean
  refusedBefore: number
  readonly settled: { readonly acceptedIds: number[]; readonly refusedIds: number[] }
}

/**
 * Sends the mails of notices, one part after the other, of those changes that are mailed, and returns the result of
 * each notice as soon as all of its mails were tried, or none is tried any more because it took too long. No result
 * is rejected.
 */
export function startMailing(
  ctx: Ctx,
  noticeIds: readonly number[],
  loadParts: () => AsyncIterable<ChangesPart>,
  isMailed: (change: Change) => boolean,
): ReadonlyMap<number, Promise<MailingResult>> {
  const states = new Map(
    noticeIds.map((id): [number, MailingState] => [
      id,
      {
        result: Promise.withResolvers(),
        mailCount: 0,
        waiting: 0,
        isRecorded: false,
        isComplete: false,
        isBegun: false,
        refusedBefore: 0,
        settled: { acceptedIds: [], refusedIds: [] },
      },
    ]),
  )
  sendParts(ctx, loadParts(), isMailed, states).catch((error: unknown) => {
    log('error', 'mailing broken off', errorFacts(error))
    settleAll(states)
  })
  return new Map([...states].map(([id, { result }]) => [id, result.promise]))
}

async function sendParts(
  ctx: Ctx,
  parts: AsyncIterable<ChangesPart>,
  isMailed: (change: Change) => boolean,
  states: ReadonlyMap<number, MailingState>,
): Promise<void> {
  const began = Date.now()
  const progress = { recordedAt: began }
  for await (const { changes, ended } of parts) {
    const mailed = changes.filter(isMailed)
    beginPart(mailed, ended, states)
    settleComplete(states)
    await sendAll(ctx, mailed, states, progress)
    if (Date.now() - began >= MAX_MAILING_MS) {
      break
    }
    // the runtime takes new requests in between
    await scheduler.wait(PAUSE_MS)
  }
  for (const { result, ...state } of states.values()) {
    result.resolve(state)
  }
}

function beginPart(
  changes: readonly Change[],
  ended: readonly number[],
  states: ReadonlyMap<number, MailingState>,
): void {
  for (const { notice, bug, recipients } of changes) {
    const state = states.get(notice.id)
    if (state !== undefined) {
      state.waiting += recipients.length
      if (!state.isBegun) {
        state.isBegun = true
        // a later part would count what this attempt has recorded
        state.isRecorded = bug.recordedCount > 0
        state.refusedBefore = bug.refusedCount
      }
    }
  }
  for (const id of ended) {
    const state = states.get(id)
    if (state !== undefined) {
      state.isComplete = true
    }
  }
}

async function sendAll(
  ctx: Ctx,
  changes: readonly Change[],
  states: ReadonlyMap<number, MailingState>,
  progress: { recordedAt: number },
): Promise<void> {
  const letters = changes.flatMap((change) =>
    change.recipients.map((recipient) => ({ change, recipient })),
  )
  for (let start = 0; start < letters.length; start += MAILS_PER_BATCH) {
    const batch = letters.slice(start, start + MAILS_PER_BATCH)
    const mails = batch.flatMap(({ change, recipient }) =>
      tryCompose(ctx, change, recipient, states),
    )
    const unaccepted = new Set(mails)
    const record = async (mail: PersonalMail) => {
      unaccepted.delete(mail)
      await recordAccepted(ctx, mail, [...unaccepted], states)
    }
    settleMails(await sendMails(ctx, mails, record), states)
    for (const { change } of batch) {
      const state = states.get(change.notice.id)
      if (state !== undefined) {
        state.waiting -= 1
      }
    }
    settleComplete(states)
    if (Date.now() - progress.recordedAt >= RECORD_EVERY_MS) {
      await recordProgress(ctx, states)
      progress.recordedAt = Date.now()
    }
  }
}

/** Several mails of a notice to one person count as one, which is not accepted until all of them are. */
function settleMails(
  outcomes: ReadonlyMap<PersonalMail, MailOutcome>,
  states: ReadonlyMap<number, MailingState>,
): void {
  for (const [noticeId, ofNotice] of Map.groupBy(outcomes, ([{ noticeId }]) => noticeId)) {
    const { acceptedIds, refusedIds } = states.get(noticeId)?.settled ?? {}
    for (const [personId, mails] of Map.groupBy(ofNotice, ([{ personId }]) => personId)) {
      const has = (wanted: MailOutcome) => mails.some(([, outcome]) => outcome === wanted)
      if (!has('unsent')) {
        const settled = has('accepted') ? acceptedIds : refusedIds
        settled?.push(personId)
      }
    }
  }
}

function tryCompose(
  ctx: Ctx,
  change: Change,
  recipient: Recipient,
  states: ReadonlyMap<number, MailingState>,
): PersonalMail[] {
  const { id: noticeId } = change.notice
  const state = states.get(noticeId)
  if (state === undefined) {
    return []
  }
  try {
    const mails = composePersonalMails(ctx, change, recipient)
    state.mailCount += mails.length === 0 ? 0 : 1
    return mails.map((mail) => ({ ...mail, noticeId, personId: recipient.person.id }))
  } catch (error) {
    // counts as not accepted, so that the notice is tried again for this person alone
    state.mailCount += 1
    log('error', 'mail not composed', { notice: noticeId, ...errorFacts(error) })
    return []
  }
}

function settleComplete(states: ReadonlyMap<number, MailingState>): void {
  for (const { result, ...state } of states.values()) {
    if (state.isComplete && state.waiting === 0) {
      result.resolve(state)
    }
  }
}

/** Mails that were not tried count as not accepted. */
function settleAll(states: ReadonlyMap<number, MailingState>): void {
  for (const { result, ...state } of states.values()) {
    const untried = state.waiting + (state.isComplete ? 0 : 1)
    result.resolve({ ...state, mailCount: state.mailCount + untried })
  }
}

/**
 * In one commit for all notices that are not complete. A failure costs only that somebody may get a mail
 * twice.
 */
async function recordProgress(ctx: Ctx, states: ReadonlyMap<number, MailingState>): Promise<void> {
  const open = [...states].filter(
    ([, { waiting, isComplete, settled }]) =>
      (waiting > 0 || !isComplete) && countSettled(settled) > 0,
  )
  try {
    await commit(ctx, {
      mails: open.map(([noticeId, { settled }]) => recordMailsStatement(noticeId, settled)),
    })
    for (const [, state] of open) {
      state.isRecorded = true
    }
  } catch (error) {
    log('warn', 'sent mails not recorded', errorFacts(error))
  }
}

/** A person is recorded with the last of their mails. */
async function recordAccepted(
  ctx: Ctx,
  { noticeId, personId }: PersonalMail,
  unaccepted: readonly PersonalMail[],
  states: ReadonlyMap<number, MailingState>,
): Promise<void> {
  const state = states.get(noticeId)
  const isLast = unaccepted.every(
    (mail) => mail.noticeId !== noticeId || mail.personId !== personId,
  )
  if (state !== undefined && isLast) {
    state.isRecorded = true
    const settled = { acceptedIds: [personId], refusedIds: [] }
    await commit(ctx, { mail: [recordMailsStatement(noticeId, settled)] })
  }
}

export function countSettled({ acceptedIds, refusedIds }: SettledMails): number {
  return acceptedIds.length + refusedIds.length
}

/** The next attempt skips the people who are recorded here. */
export function recordMailsStatement(noticeId: number, settled: SettledMails): SQL {
  const { noticeId: notice, userId, isRefused } = noticeMails
  const rows = [
    ...settled.acceptedIds.map((personId) => ({ personId, isRefused: 0 })),
    ...settled.refusedIds.map((personId) => ({ personId, isRefused: 1 })),
  ]
  return sql`INSERT OR IGNORE INTO notice_mails (${columnNames(notice, userId, isRefused)})
    SELECT ${noticeId}, r.value ->> 'personId', r.value ->> 'isRefused' FROM ${jsonRows(rows)}`
}

/** Makes the next attempt of a notice that was made due anew include the people whose mail was refused. */
export function forgetRefusedMailsStatement(noticeId: number): SQL {
  return sql`DELETE FROM notice_mails WHERE ${noticeMails.noticeId} = ${noticeId} AND ${noticeMails.isRefused} = 1
    AND EXISTS (SELECT 1 FROM notices WHERE ${notices.id} = ${noticeId} AND ${notices.attempts} = 0)`
}
