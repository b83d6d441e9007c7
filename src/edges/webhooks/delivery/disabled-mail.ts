import type { Ctx } from '../../../platform/context.ts'
import { REPLIES_UNREAD, toOneLine, wrapText } from '../../../platform/mail/layout.ts'
import { throwUnlessAccepted } from '../../../platform/mail/outcome.ts'
import { type Mail, sendMails } from '../../../platform/mail/send.ts'
import type { FinishRow } from '../../../platform/outbox/outbox.ts'
import type { LoadedDelivery } from './deliver-load.ts'

const WIDTH = 72

/** Mails the owner that a webhook was disabled, if the account may get mail. */
export async function mailOwner(
  ctx: Ctx,
  delivery: LoadedDelivery,
  finish: FinishRow,
): Promise<void> {
  if (!delivery.takesMail) {
    return
  }
  const [outcome] = (
    await sendMails(ctx, [composeMail(ctx, delivery)], () => finish(delivery.id))
  ).values()
  throwUnlessAccepted(outcome, 'the mail about a disabled webhook')
}

function composeMail({ baseUrl }: Ctx, delivery: LoadedDelivery): Mail {
  const { webhookId, login, failure } = delivery
  const name = toOneLine(delivery.name)
  const [attempts, error] = JSON.parse(failure ?? '[0, null]') as [number, string | null]
  const reason =
    error === null
      ? `Your webhook ${webhookId}, ${name}, was disabled, because its receiver kept failing.`
      : `Your webhook ${webhookId}, ${name}, was disabled after ${attempts} failed attempts to deliver one message. The last error: ${error}.`
  const text = [
    reason,
    'It hears of nothing until it is enabled again; what waited for it then is sent once more.',
    ...(baseUrl === '' ? [] : [`${baseUrl}/account?tab=webhooks`]),
    REPLIES_UNREAD,
  ]
  return {
    to: login,
    subject: `Webhook disabled: ${name}`,
    text: `${text.map((paragraph) => wrapText(paragraph, WIDTH)).join('\n\n')}\n`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
