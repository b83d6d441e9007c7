import * as z from 'zod'
import {
  isEventOn,
  isSwitchOn,
  MAIL_EVENTS,
  MAIL_ROLES,
  type MailSwitch,
  type Preference,
} from '../notices/preferences.ts'

/** The switches by their names in the API. */
export const SWITCHES = {
  asked_for_flag: ['flags', 'asked'],
  flag_answered: ['flags', 'answered'],
  html_mail: ['format', 'html'],
  new_in_subject: ['format', 'new_in_subject'],
} as const satisfies Readonly<Record<string, MailSwitch>>

export type SwitchName = keyof typeof SWITCHES

export const SWITCH_NAMES: readonly SwitchName[] = [
  'asked_for_flag',
  'flag_answered',
  'html_mail',
  'new_in_subject',
]

const roleShape = z.strictObject(
  Object.fromEntries(MAIL_EVENTS.map((event) => [event, z.boolean()])),
)

export const preferencesShape = z.strictObject({
  email: z.strictObject(Object.fromEntries(MAIL_ROLES.map((role) => [role, roleShape]))),
  asked_for_flag: z.boolean(),
  flag_answered: z.boolean(),
  html_mail: z.boolean(),
  new_in_subject: z.boolean(),
  watching: z.array(z.string()),
  watching_components: z.array(
    z.strictObject({ product: z.string(), component: z.string().nullable() }),
  ),
  ignored_bugs: z.array(z.int()),
})

/** Presents the table of roles and events, complete with the defaults. */
export function presentCells(
  preferences: readonly Preference[],
): z.output<typeof preferencesShape>['email'] {
  return Object.fromEntries(
    MAIL_ROLES.map((role) => [
      role,
      Object.fromEntries(MAIL_EVENTS.map((event) => [event, isEventOn(preferences, role, event)])),
    ]),
  )
}

/** Presents a switch. */
export function presentSwitch(preferences: readonly Preference[], name: SwitchName): boolean {
  return isSwitchOn(preferences, ...SWITCHES[name])
}
