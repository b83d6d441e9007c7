import * as z from 'zod'
import { hasRole } from '../../platform/access/caller.ts'
import { notAuthorized } from '../../platform/access/faults.ts'
import type { PersonCtx } from '../../platform/context.ts'
import { retryOnConflict } from '../../platform/db/commit.ts'
import { users } from '../../platform/db/schema/users.ts'
import { newestId } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { operation, type Requirement, role } from '../../platform/http/operations/operation.ts'
import { strictInput, text } from '../../platform/http/operations/shapes.ts'
import { hashPassword } from '../../platform/lib/crypto/password-hash.ts'
import { createAccount } from './create-account.ts'
import { accountFaults } from './faults.ts'
import { announceLink, canMailLinks, insertLinkStatement, newLinkColumns } from './links/links.ts'
import { assertNoLogin, parseInitialPassword, parseLogin, parseRealName } from './values.ts'

/** Clients read 304 as the refusal of an anonymous caller here, not 410. */
const userEditors: Requirement<PersonCtx> = {
  ...role('editusers', 'create users'),
  login: false,
  grant: (ctx) => {
    const { caller } = ctx
    if (caller.kind !== 'person' || !hasRole(caller, 'editusers')) {
      throw fault(notAuthorized, { action: 'create users' })
    }
    return { ...ctx, caller }
  },
}

/**
 * Creates an account. Without a password its owner gets a mail with a link to set one, where mails can be sent, so
 * that no administrator knows it.
 */
export const createUser = operation(
  {
    method: 'POST',
    path: '/user',
    makes: '/user/:id',
    summary: 'Create an account',
    reference: 'users.md#create-a-user',
    // an account that misses its limits would be made without them
    input: strictInput(
      {
        email: text(),
        full_name: text(),
        /** Some clients call `full_name` this. */
        name: text(),
        real_name: text(),
        password: text(),
      },
      'id',
      'login',
      'nick',
      'can_login',
    ),
    output: z.strictObject({ id: z.int() }),
    faults: accountFaults,
    requires: userEditors,
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const login = parseLogin(input.email)
    const realName = parseRealName(input.full_name ?? input.real_name ?? input.name ?? '')
    // a star is no password on purpose, as for an account of a program
    const isInvited = (input.password ?? '').trim() === '' && canMailLinks(ctx)
    const invitation = isInvited ? await newLinkColumns(ctx, { kind: 'invitation', login }) : null
    let passwordHash: Promise<string> | null = null
    const hash = async () => {
      const password = parseInitialPassword(input.password, ctx.settings)
      if (password === null) {
        return null
      }
      assertNoLogin('password', password, login)
      passwordHash ??= hashPassword(password)
      return passwordHash
    }
    return retryOnConflict(ctx, async (ctx) => {
      const account = { login, realName, hash }
      const { id, rows } = await createAccount(ctx, account, {
        invitation:
          invitation === null ? undefined : insertLinkStatement(invitation, newestId(users)),
      })
      announceLink(ctx, rows.invitation)
      return { id }
    })
  },
)
