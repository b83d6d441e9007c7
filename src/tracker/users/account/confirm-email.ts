import * as z from 'zod'
import { endLoginsOf } from '../../../platform/access/end-logins.ts'
import { recomputeMembershipsStatements } from '../../../platform/access/membership.ts'
import {
  findMatchingGroups,
  rederivePersonStatements,
  selectGroupPatterns,
} from '../../../platform/access/regexp-membership.ts'
import { abortUnlessChanged, commit } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { recordUpdates, updateAtRevision } from '../../../platform/db/write-audited.ts'
import { fault, parameterMissing } from '../../../platform/faults/fault.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import { text } from '../../../platform/http/operations/shapes.ts'
import { fold } from '../../../platform/lib/text.ts'
import { linkInvalid, loginTaken } from '../faults.ts'
import { hashLink, requireLink, selectLink, useLink } from '../links/links.ts'

/** Gives the owner of the link the address as login, if nobody has taken it meanwhile. */
export const confirmEmail = operation(
  {
    method: 'POST',
    path: '/account/email',
    summary: 'Confirm a new address by the link of a mail',
    reference: 'accounts.md#confirm-an-address',
    input: z.object({ token: text() }),
    output: z.strictObject({ id: z.int() }),
    faults: [linkInvalid, loginTaken],
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
  },
  async (ctx, input) => {
    const token = input.token ?? ctx.credentials.token
    if (token === undefined) {
      throw fault(parameterMissing, { field: 'token' })
    }
    const { links, patterns } = await readBatch(ctx, {
      links: selectLink(await hashLink(token), ['email'], ctx.now),
      patterns: selectGroupPatterns(),
    })
    const { id: linkId, login, isTaken, user } = requireLink(links)
    if (user === null) {
      throw fault(linkInvalid)
    }
    if (isTaken) {
      throw fault(loginTaken, { login })
    }
    const loginFold = fold(login)
    const author = { caller: { id: user.id }, now: ctx.now }
    const changes = { email: { removed: user.login, added: login } }
    await commit(ctx, {
      used: [useLink(linkId, ctx.now), abortUnlessChanged()],
      user: updateAtRevision('User', [user], { login, loginFold }),
      groups: rederivePersonStatements(
        user.id,
        patterns,
        await findMatchingGroups(patterns, loginFold),
      ),
      memberships: recomputeMembershipsStatements([user.id]),
      logins: endLoginsOf([user.id]),
      audit: recordUpdates(author, 'User', [{ id: user.id, changes }]),
    })
    return { id: user.id }
  },
)
