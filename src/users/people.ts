import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import { localPart } from '../lib/text.ts'
import type { Settings } from '../settings.ts'

/** What is read of a person who is shown on something else. */
export type PersonRow = { id: number; login: string; realName: string; nick: string | null }

/** The User detail object of the contract ("User"). */
export const userDetailShape = z
  .strictObject({
    id: z.int(),
    real_name: z.string(),
    nick: z.string(),
    name: z.string(),
    email: z.string(),
  })
  .partial()

/** How people are shown to one caller: logins may be cut for anonymous ones. Contract "Data types", email. */
export class People {
  readonly #cut: boolean

  constructor(caller: Caller, settings: Settings) {
    this.#cut = caller.kind === 'anonymous' && settings.HIDE_EMAIL_DOMAINS
  }

  login(login: string): string {
    return this.#cut ? localPart(login) : login
  }

  /** A list of logins, or of flags that name in brackets who is asked. */
  logins(list: string): string {
    return this.#cut ? list.replace(/@[^\s,()]*(?=[,)]|$)/g, '') : list
  }

  /** The User detail object of the contract ("User"). */
  detail(person: PersonRow) {
    const name = this.login(person.login)
    return { id: person.id, real_name: person.realName, nick: nickOf(person), name, email: name }
  }
}

/** The nick that a person chose in the real name, or else the local part of the login. */
export function nickOf(person: { login: string; nick: string | null }): string {
  return person.nick ?? localPart(person.login)
}
