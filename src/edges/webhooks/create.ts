import * as z from 'zod'
import { abortIf } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhooks } from '../../platform/db/schema/webhooks.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { assertNameFree } from '../../platform/faults/checks.ts'
import { fault } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  requiredText,
  strictInput,
  text,
  textList,
} from '../../platform/http/operations/shapes.ts'
import { seal } from '../../platform/lib/crypto/secrets.ts'
import { fold } from '../../platform/lib/text.ts'
import { describeForAudit } from './audit.ts'
import { newestNoticeId } from './delivery/backlog.ts'
import { newWebhookSecret } from './delivery/signature.ts'
import { parseEvents } from './events.ts'
import { tooManyWebhooks, valueFaults } from './faults.ts'
import { selectWebhooksByName } from './load.ts'
import { parsePlaceName, requirePlace, selectPlace } from './place.ts'
import { parseTargetUrl } from './target.ts'
import { ownHeaderInput, parseOwnHeader, parseWebhookName } from './values.ts'

/** Webhooks that one person may have. */
const MAX_WEBHOOKS = 1000

/** Creates a webhook of the caller; this answer and that of a rotation alone hold the secret. */
export const createWebhook = operation(
  {
    method: 'POST',
    path: '/webhooks',
    makes: '/webhooks/:id',
    summary: 'Create a webhook, whose secret is shown this once',
    reference: 'webhooks.md#create-a-webhook',
    // a misspelled product would send everything
    input: strictInput(
      {
        name: requiredText(),
        url: requiredText(),
        event: textList(),
        product: text(),
        component: text(),
        enabled: boolean(),
        header: ownHeaderInput(),
      },
      'id',
      'creator',
      'errors',
    ),
    output: z.strictObject({ id: z.int(), secret: z.string() }),
    faults: [...valueFaults, tooManyWebhooks],
    requires: loggedIn,
    scope: 'write-all-products',
    status: 201,
  },
  async (ctx, input) => {
    const { caller } = ctx
    const { SECRETS_KEY } = ctx.env
    const name = parseWebhookName(input.name)
    const url = parseTargetUrl(input.url, ctx.settings.WEBHOOK_ALLOW_PRIVATE)
    const events = parseEvents(input.event ?? [])
    const header = parseOwnHeader(input.header ?? null)
    const names = {
      product: parsePlaceName(input.product ?? null),
      component: parsePlaceName(input.component ?? null),
    }
    const secret = newWebhookSecret()
    const sealed = {
      secretSealed: await seal(secret, SECRETS_KEY),
      headerName: header?.name ?? null,
      headerSealed: header === null ? null : await seal(header.value, SECRETS_KEY),
    }
    const total = sql`(SELECT count(*) FROM webhooks WHERE ${webhooks.userId} = ${caller.id})`
    const { sameName, places, counted } = await readBatch(ctx, {
      sameName: selectWebhooksByName(caller.id, name),
      places: names.product === null ? undefined : selectPlace(caller, names),
      counted: db.select({ total: sql<number>`${total}`.as('total') }).from(sql`(SELECT 1)`),
    })
    const place = requirePlace(names, places)
    assertNameFree('webhook', name, sameName)
    if ((counted[0]?.total ?? 0) >= MAX_WEBHOOKS) {
      throw fault(tooManyWebhooks, { most: MAX_WEBHOOKS })
    }
    const state = { name, url, events, ...place, isEnabled: input.enabled ?? true }
    const { productId, componentId } = place
    const id = await createAudited(
      ctx,
      'Webhook',
      {
        row: {
          name,
          url,
          events,
          productId,
          componentId,
          isEnabled: state.isEnabled,
          ...sealed,
          userId: caller.id,
          nameFold: fold(name),
          createdAt: ctx.now,
          afterNoticeId: newestNoticeId() as never,
        },
        shown: describeForAudit({ ...state, isProductHidden: false, hasHeader: header !== null }),
      },
      { limit: abortIf(sql`${total} > ${MAX_WEBHOOKS}`) },
    )
    return { id, secret }
  },
)
