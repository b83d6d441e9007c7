import * as z from 'zod'
import type { Caller } from '../../platform/access/caller.ts'
import { localPart } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'

/** The columns of a person who is part of another object. */
export type PersonRow = { id: number; login: string; realName: string; nick: string | null }

export const userDetailShape = z
  .strictObject({
    id: z.int(),
    real_name: z.string(),
    nick: z.string(),
    name: z.string(),
    email: z.string(),
  })
  .partial()
  .meta({ title: 'Person' })

/** Presents people to one caller: an anonymous one may get logins without their domains. */
export class PeoplePresenter {
  readonly #hidesDomains: boolean

  constructor(caller: Caller, settings: Settings) {
    this.#hidesDomains = caller.kind === 'anonymous' && settings.HIDE_EMAIL_DOMAINS
  }

  presentLogin(login: string): string {
    return this.#hidesDomains ? localPart(login) : login
  }

  /** Presents a list of logins, or of flags with their requestees in brackets. */
  presentLogins(list: string): string {
    return this.#hidesDomains ? list.replace(/@[^\s,()]*(?=[,)]|$)/g, '') : list
  }

  presentDetail(person: PersonRow) {
    const name = this.presentLogin(person.login)
    return {
      id: person.id,
      real_name: person.realName,
      nick: presentNick(person),
      name,
      email: name,
    }
  }
}

/** The nick in the real name, or else the local part of the login. */
export function presentNick(person: { login: string; nick: string | null }): string {
  return person.nick ?? localPart(person.login)
}
