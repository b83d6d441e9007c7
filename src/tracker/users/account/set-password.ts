import * as z from 'zod'
import { endLoginsOf } from '../../../platform/access/end-logins.ts'
import { passwordFaults } from '../../../platform/access/faults.ts'
import { checkPassword } from '../../../platform/access/password.ts'
import type { Ctx } from '../../../platform/context.ts'
import { abortUnlessChanged, commit, type Statement } from '../../../platform/db/commit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { loginFailures, users } from '../../../platform/db/schema/users.ts'
import { db, sql } from '../../../platform/db/sql.ts'
import { recordUpdates, updateAtRevision } from '../../../platform/db/write-audited.ts'
import { fault, invalidParameter, parameterMissing } from '../../../platform/faults/fault.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import { text } from '../../../platform/http/operations/shapes.ts'
import { hashPassword } from '../../../platform/lib/crypto/password-hash.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { fold } from '../../../platform/lib/text.ts'
import { createAccount } from '../create-account.ts'
import { accountFaults, linkInvalid } from '../faults.ts'
import {
  hashLink,
  type LinkedUser,
  PASSWORD_LINKS,
  requireLink,
  selectLink,
  useLink,
} from '../links/links.ts'
import { assertNoLogin, requirePassword } from '../values.ts'

/** By the link of a mail, which also makes the account of somebody who registers, or by the present password. */
export const setPassword = operation(
  {
    method: 'POST',
    path: '/account/password',
    summary: 'Set a password by the link of a mail, or by the present one',
    reference: 'accounts.md#set-a-password',
    input: z.object({
      token: text(),
      login: text(),
      password: text(),
      new_password: text(),
      totp: text(),
    }),
    output: z.strictObject({ id: z.int() }),
    faults: [...passwordFaults, ...accountFaults, linkInvalid],
    requires: anyone,
    scope: 'read',
    credentials: 'ignored',
  },
  async (ctx, input) => {
    // a token counts as a credential wherever it stands, login and password in the query
    const token = input.token ?? ctx.credentials.token
    const login = input.login ?? ctx.credentials.login
    const password = input.password ?? ctx.credentials.password
    if (token === undefined && login === undefined) {
      throw fault(parameterMissing, { field: 'token' })
    }
    if (password === undefined) {
      throw fault(parameterMissing, { field: 'password' })
    }
    return login === undefined
      ? setByLink(ctx, token ?? '', requirePassword('password', password, ctx.settings))
      : replacePassword(ctx, { login, password, newPassword: input.new_password, code: input.totp })
  },
)

async function setByLink(ctx: Ctx, token: string, password: string): Promise<{ id: number }> {
  const { links } = await readBatch(
    { session: ctx.session },
    { links: selectLink(await hashLink(token), PASSWORD_LINKS, ctx.now) },
  )
  const { id: linkId, login, realName, user } = requireLink(links)
  assertNoLogin('password', password, user?.login ?? login)
  const hash = await hashPassword(password)
  const used = [useLink(linkId, ctx.now), abortUnlessChanged()]
  if (user === null) {
    const author = { session: ctx.session, now: ctx.now, caller: { id: null } }
    const account = { login, realName, hash: async () => hash }
    const { id } = await createAccount(author, account, { used })
    return { id }
  }
  await commit(ctx, {
    used,
    password: newPasswordStatements(user, hash, ctx.now),
    // whoever forgot a password has tried some
    failures: db.delete(loginFailures).where(sql`${loginFailures.loginFold} = ${fold(user.login)}`),
  })
  return { id: user.id }
}

async function replacePassword(
  ctx: Ctx,
  {
    login,
    password,
    newPassword,
    code,
  }: {
    login: string
    password: string
    newPassword: string | undefined
    code: string | undefined
  },
): Promise<{ id: number }> {
  if (newPassword === undefined) {
    throw fault(parameterMissing, { field: 'new_password' })
  }
  const wanted = requirePassword('new_password', newPassword, ctx.settings)
  if (wanted === password.trim()) {
    throw invalidParameter('new_password', 'must differ from the present one')
  }
  let hash: Promise<string> | null = null
  const { person } = await checkPassword(ctx, {
    login,
    password,
    isRenewal: true,
    secondFactor: 'asked',
    code,
    statements: async ({ id, login: own }, read) => {
      assertNoLogin('new_password', wanted, own)
      const { rows } = await readBatch(read, {
        rows: db
          .select(pick(users, 'id', 'login', 'revision', 'passwordChangeRequired'))
          .from(users)
          .where(sql`${users.id} = ${id}`),
      })
      hash ??= hashPassword(wanted)
      const [user] = rows
      return user === undefined ? [] : newPasswordStatements(user, await hash, ctx.now)
    },
  })
  return { id: person.id }
}

/** Sets a password that its owner chose, ends what the old one began, and records that under their name. */
function newPasswordStatements(
  { id, revision, passwordChangeRequired }: LinkedUser,
  passwordHash: string,
  now: number,
): Statement[] {
  const changes = {
    password: { removed: '', added: '' },
    ...(passwordChangeRequired && { password_change_required: { removed: '1', added: '0' } }),
  }
  return [
    ...updateAtRevision('User', [{ id, revision }], {
      passwordHash,
      passwordChangeRequired: false,
    }),
    ...endLoginsOf([id]),
    ...recordUpdates({ caller: { id }, now }, 'User', [{ id, changes }]),
  ]
}
