import type { SQL } from 'drizzle-orm'
import { users } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import { fold } from '../lib/text.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Whether an account of the table `users` may be sent mail at all: it is enabled, has mail on, and its login is an
 * address that `MAIL_NEVER_TO` does not exclude.
 */
export function mailableAccountCondition(settings: Settings): SQL {
  const excludedSuffix = fold(settings.MAIL_NEVER_TO)
  return sql`(${users.loginDeniedText} = '' AND ${users.emailEnabled} = 1
    AND instr(${users.login}, '@') > 1
    AND (${excludedSuffix} = '' OR substr(${users.loginFold}, -length(${excludedSuffix})) <> ${excludedSuffix}))`
}

/** Whether `MAIL_NEVER_TO` excludes an address that is no login yet. */
export function isExcludedAddress({ MAIL_NEVER_TO }: Settings, address: string): boolean {
  return MAIL_NEVER_TO !== '' && fold(address).endsWith(fold(MAIL_NEVER_TO))
}
