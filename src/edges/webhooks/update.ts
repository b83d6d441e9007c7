import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { webhooks } from '../../platform/db/schema/webhooks.ts'
import { sql } from '../../platform/db/sql.ts'
import { recordUpdates, updateAtRevision } from '../../platform/db/write-audited.ts'
import { assertNameFree } from '../../platform/faults/checks.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  changesOutput,
  clearableText,
  id,
  strictInput,
  text,
  textList,
} from '../../platform/http/operations/shapes.ts'
import { seal } from '../../platform/lib/crypto/secrets.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import { describeWebhook, diffForAudit } from './audit.ts'
import { announceReleased, newestNoticeId, releaseStatements } from './delivery/backlog.ts'
import { newWebhookSecret } from './delivery/signature.ts'
import { parseEvents } from './events.ts'
import { valueFaults, webhookUnknown } from './faults.ts'
import { type LoadedWebhook, requireWebhook, selectWebhook, selectWebhooksByName } from './load.ts'
import { type Place, parsePlaceName, requirePlace, selectPlace } from './place.ts'
import { presentPlace } from './present.ts'
import { parseTargetUrl } from './target.ts'
import { ownHeaderInput, parseOwnHeader, parseWebhookName } from './values.ts'

const updateWebhookInput = strictInput(
  {
    id: id(),
    name: text(),
    url: text(),
    event: textList(),
    product: clearableText(),
    component: clearableText(),
    enabled: boolean(),
    header: ownHeaderInput(),
    rotate_secret: boolean(),
  },
  'creator',
  'errors',
)

type Input = z.output<typeof updateWebhookInput>

/** What a request changes; undefined stays, null is none or any. */
type Update = Awaited<ReturnType<typeof parseUpdate>>

/**
 * Changes a webhook, or gives it a new secret, which the answer holds. Enabling it starts its errors and
 * its backlog anew.
 */
export const updateWebhook = operation(
  {
    method: 'PUT',
    path: '/webhooks/:id',
    summary: 'Change a webhook, or give it a new secret',
    reference: 'webhooks.md#change-a-webhook',
    input: updateWebhookInput,
    output: z.strictObject({
      webhooks: z.array(
        z.strictObject({ id: z.int(), changes: changesOutput, secret: z.string().optional() }),
      ),
    }),
    faults: [...valueFaults, webhookUnknown],
    requires: loggedIn,
    scope: 'write-all-products',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const update = await parseUpdate(ctx, input)
    const { row, place } = await loadUpdated(ctx, caller, update)
    const before = { ...row, hasHeader: row.headerName !== null }
    const after = {
      ...before,
      ...(place === undefined ? {} : { ...place, isProductHidden: false }),
      name: update.name ?? row.name,
      url: update.url ?? row.url,
      events: update.events ?? row.events,
      isEnabled: update.isEnabled ?? row.isEnabled,
      hasHeader: update.header === undefined ? before.hasHeader : update.header !== null,
    }
    const changes = diffFields(describeWebhook(before), describeWebhook(after))
    const { secret, header } = update
    if (Object.keys(changes).length > 0 || secret !== null || header) {
      announceReleased(ctx, await writeWebhook(ctx, { caller, row, before, after, update }))
    }
    const shown = secret === null ? {} : { secret: secret.plain }
    return { webhooks: [{ id: row.id, changes, ...shown }] }
  },
)

async function parseUpdate(ctx: Ctx, input: Input) {
  const { SECRETS_KEY } = ctx.env
  const { name, url, event, header } = input
  const ownHeader = header === undefined ? undefined : parseOwnHeader(header)
  const plain = input.rotate_secret === true ? newWebhookSecret() : null
  return {
    id: input.id,
    name: name === undefined ? undefined : parseWebhookName(name),
    url: url === undefined ? undefined : parseTargetUrl(url, ctx.settings.WEBHOOK_ALLOW_PRIVATE),
    events: event === undefined ? undefined : parseEvents(event),
    product: input.product === undefined ? undefined : parsePlaceName(input.product),
    component: input.component === undefined ? undefined : parsePlaceName(input.component),
    isEnabled: input.enabled,
    header: ownHeader && {
      name: ownHeader.name,
      sealed: await seal(ownHeader.value, SECRETS_KEY),
    },
    secret: plain === null ? null : { plain, sealed: await seal(plain, SECRETS_KEY) },
  }
}

/**
 * The webhook as it is, and the place that it gets. Another product takes its component along only when that is
 * named too; a place that stays is not checked again.
 */
async function loadUpdated(ctx: Ctx, caller: Person, update: Update) {
  const { product, component } = update
  const { rows, places, sameName } = await readBatch(ctx, {
    rows: selectWebhook(caller, update.id),
    places: product ? selectPlace(caller, { product, component: component ?? null }) : undefined,
    sameName:
      update.name === undefined
        ? undefined
        : selectWebhooksByName(
            sql`(SELECT own.user_id FROM (SELECT ${webhooks.userId} AS user_id, ${webhooks.id} AS webhook_id
              FROM webhooks) own WHERE own.webhook_id = ${update.id})`,
            update.name,
          ),
  })
  const row = requireWebhook(rows, update.id)
  if (update.name !== undefined) {
    assertNameFree('webhook', update.name, sameName ?? [], row.id)
  }
  return { row, place: await findPlace(ctx, caller, { row, update, places }) }
}

/** A component alone is one of the product that the webhook has, which takes a further round trip. */
async function findPlace(
  ctx: Ctx,
  caller: Person,
  known: { row: LoadedWebhook; update: Update; places: readonly Place[] | undefined },
): Promise<Place | undefined> {
  const { row, update, places } = known
  const { product, component } = update
  if (product !== undefined) {
    return requirePlace({ product, component: component ?? null }, places)
  }
  if (component === undefined) {
    return undefined
  }
  const names = { product: row.product === null ? null : presentPlace(row).product, component }
  const own = await readBatch(ctx, {
    places: row.product === null ? undefined : selectPlace(caller, names),
  })
  return requirePlace(names, own.places)
}

type Written = {
  readonly caller: Person
  readonly row: LoadedWebhook
  readonly before: LoadedWebhook & { readonly hasHeader: boolean }
  readonly after: LoadedWebhook & { readonly hasHeader: boolean }
  readonly update: Update
}

/** Returns deliveries that are due again. */
async function writeWebhook(ctx: Ctx, { caller, row, before, after, update }: Written) {
  const isResumed = after.isEnabled && !row.isEnabled
  const { secret, header } = update
  const secrets = {
    ...(secret === null ? {} : { secretSealed: secret.sealed }),
    ...(header === undefined
      ? {}
      : { headerName: header?.name ?? null, headerSealed: header?.sealed ?? null }),
  }
  const { released } = await commit(ctx, {
    webhook: updateAtRevision('Webhook', [row], {
      name: after.name,
      nameFold: fold(after.name),
      ...pick(after, 'url', 'events', 'productId', 'componentId', 'isEnabled'),
      ...secrets,
      ...(isResumed ? { errors: 0, afterNoticeId: newestNoticeId(), heldAfterId: 0 } : {}),
    }),
    released: isResumed ? releaseStatements(row.id, ctx.now) : undefined,
    audit: recordUpdates({ ...ctx, caller }, 'Webhook', [
      {
        id: row.id,
        changes: diffForAudit(before, after, {
          hasNewSecret: secret !== null,
          hasNewHeader: header !== undefined && header !== null,
        }),
      },
    ]),
  })
  return released
}
