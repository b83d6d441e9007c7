import * as z from 'zod'
import { pick } from '../../platform/lib/pick.ts'
import { type PeoplePresenter, type PersonRow, presentNick } from '../users/people.ts'

/** A member of a group. */
const memberShape = z
  .strictObject({
    id: z.int(),
    real_name: z.string(),
    nick: z.string(),
    email: z.string(),
    name: z.string(),
    can_login: z.boolean(),
    email_enabled: z.boolean(),
    disabled_text: z.string(),
    login_denied_text: z.string(),
  })
  .partial()

/** 1 or 0, or with the setting GROUP_FLAGS_AS_BOOLEANS true or false. */
const flagShape = z.union([z.literal(0), z.literal(1), z.boolean()])

/** The Group object; members are missing that the caller may not see or leaves out. */
export const groupShape = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    is_bug_group: flagShape,
    user_regexp: z.string(),
    is_active: flagShape,
    membership: z.array(memberShape),
    users: z.array(memberShape),
  })
  .partial()
  .meta({ title: 'Group' })

export type GroupRow = {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly isBugGroup: boolean
  readonly isActive: boolean
  readonly userRegexp: string
}

/** How a caller sees groups. */
type GroupView = {
  readonly showsConfiguration: boolean
  readonly flagsAreBooleans: boolean
}

type MemberRow = PersonRow & {
  readonly groupId: number
  readonly loginDeniedText: string
  readonly emailEnabled: boolean
}

/**
 * Only callers who may change groups get the configuration (`showsConfiguration`), with numbers as flags unless
 * `flagsAreBooleans`. Members have both names that the API knows for them.
 */
export function presentGroup(
  row: GroupRow,
  { showsConfiguration, flagsAreBooleans }: GroupView,
  members: readonly ReturnType<typeof presentMember>[] | undefined,
): z.output<typeof groupShape> {
  const presentFlag = (flag: boolean) => (flagsAreBooleans ? flag : flag ? 1 : 0)
  return {
    ...pick(row, 'id', 'name', 'description'),
    ...(showsConfiguration
      ? {
          is_bug_group: presentFlag(row.isBugGroup),
          user_regexp: row.userRegexp,
          is_active: presentFlag(row.isActive),
        }
      : {}),
    ...(members === undefined ? {} : { membership: [...members], users: [...members] }),
  }
}

/** Disabled accounts get no mail, even if they prefer it. */
export function presentMember(row: MemberRow, people: PeoplePresenter) {
  const name = people.presentLogin(row.login)
  return {
    id: row.id,
    real_name: row.realName,
    nick: presentNick(row),
    email: name,
    name,
    can_login: row.loginDeniedText === '',
    email_enabled: row.emailEnabled && row.loginDeniedText === '',
    disabled_text: row.loginDeniedText,
    login_denied_text: row.loginDeniedText,
  }
}
