import { eq } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import { notAuthorized, productDenied } from '../../platform/access/faults.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { db, newestId } from '../../platform/db/sql.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { fault, valueBlank } from '../../platform/faults/fault.ts'
import { loggedIn, operation } from '../../platform/http/operations/operation.ts'
import {
  datetime,
  givenNames,
  requiredText,
  strictInput,
  text,
} from '../../platform/http/operations/shapes.ts'
import { userUnknown } from '../users/faults.ts'
import { createSecret } from './create-secret.ts'
import { parseKeyDescription } from './description.ts'
import { planMailsStatements, requireFuture } from './expiry.ts'
import { keyMayNotManageKeys } from './faults.ts'
import { assertMayManageKeys, resolveOtherOwner } from './owner.ts'
import { describeKey } from './present.ts'
import {
  combineScopes,
  parseProductNames,
  parseScopeWords,
  requireProductIds,
  selectNamedProducts,
} from './scopes.ts'

/**
 * Creates an API key for the caller, or with the right to edit users for `user`. This answer alone
 * contains the key.
 */
export const createKey = operation(
  {
    method: 'POST',
    path: '/api_key',
    summary: 'Create an API key, which is shown this once',
    reference: 'api-keys.md#create-an-api-key',
    // a misspelled limit must not become a key without it
    input: strictInput({
      description: requiredText(),
      expires: datetime(),
      scopes: givenNames(),
      products: givenNames(),
      user: text(),
    }),
    output: z.strictObject({
      id: z.int(),
      api_key: z.string(),
      prefix: z.string(),
    }),
    faults: [keyMayNotManageKeys, notAuthorized, productDenied, userUnknown, valueBlank],
    requires: loggedIn,
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const { now, caller } = ctx
    assertMayManageKeys(caller)
    const otherLogin = resolveOtherOwner(caller, input.user)
    const description = parseKeyDescription(input.description)
    const expiresAt = requireFuture(input.expires ?? null, now)
    const words = input.scopes === undefined ? undefined : parseScopeWords(input.scopes)
    const names = input.products === undefined ? null : parseProductNames(input.products)
    const { owner, products } = await loadReferences(ctx, caller, otherLogin, names)
    const productIds = names === null ? null : requireProductIds(names, products)
    const scopes = combineScopes(words, productIds)
    const { key, stored } = await createSecret(ctx.env)
    const values = { ...scopes, description, expiresAt }
    const named = productIds === null ? null : products.map(({ name }) => name)
    const id = await createAudited(
      ctx,
      'APIKey',
      {
        row: { ...stored, ...values, userId: owner.id, createdAt: now },
        shown: { user: owner.login, ...describeKey({ ...values, products: named }) },
      },
      { mails: planMailsStatements(newestId(apiKeys), expiresAt, now) },
    )
    return { id, api_key: key, prefix: stored.prefix }
  },
)

/** Loads the owner, and the products that the caller may search. No round trip when it names neither. */
async function loadReferences(
  ctx: Ctx,
  caller: Person,
  otherLogin: string | null,
  names: readonly string[] | null,
) {
  if (otherLogin === null && names === null) {
    return { owner: caller, products: [] }
  }
  const { owners, products = [] } = await readBatch(ctx, {
    owners: db
      .select({ id: users.id, login: users.login })
      .from(users)
      .where(otherLogin === null ? eq(users.id, caller.id) : eq(users.loginFold, otherLogin)),
    products: names === null ? undefined : selectNamedProducts(caller, names),
  })
  const [owner] = owners
  if (owner === undefined) {
    throw fault(userUnknown, { login: otherLogin ?? '' })
  }
  return { owner, products }
}
