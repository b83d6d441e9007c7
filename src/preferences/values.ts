import * as z from 'zod'
import { fault } from '../faults.ts'
import { type EditSet, editSetOf } from '../http/edit-set.ts'
import { boolean, limitItems, names, requiredText, text } from '../http/shapes.ts'
import {
  isEventOn,
  isSwitchOn,
  MAIL_EVENTS,
  MAIL_ROLES,
  type MailSwitch,
  type Preference,
} from '../notices/preferences.ts'

/** The switches under their names in the API. Reference: preferences.md, "Preferences object". */
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

/** Names by which a client watches a component; null stands for the whole product. */
export type PlaceName = { readonly product: string; readonly component: string | null }

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

/** The members of an update. Null is absent, also in a list, so that it empties none. */
export const preferencesInput = {
  email: z.record(z.string(), z.record(z.string(), boolean()).nullish()).nullish(),
  asked_for_flag: boolean(),
  flag_answered: boolean(),
  html_mail: boolean(),
  new_in_subject: boolean(),
  watching: editSetOf(unlessNull(limitItems(names()))).nullish(),
  watching_components: editSetOf(unlessNull(limitItems(places()))).nullish(),
  ignored_bugs: editSetOf(unlessNull(limitItems(names()))).nullish(),
}

type Input = z.output<z.ZodObject<typeof preferencesInput>>

/** What an update sets and edits; items are as the client names them. */
export type PreferencesUpdate = {
  /** In the order of the API, each with the name under which the answer shows it. */
  readonly cells: readonly {
    readonly name: string
    readonly role: string
    readonly event: string
    readonly isOn: boolean
  }[]
  readonly watching: EditSet | undefined
  readonly places: EditSet<PlaceName> | undefined
  readonly ignored: EditSet | undefined
}

/** Parses an update. Fault 53 for a role or an event that does not exist. */
export function parseUpdate(input: Input): PreferencesUpdate {
  return {
    cells: [...parseCells(input.email ?? {}), ...parseSwitches(input)],
    watching: input.watching ?? undefined,
    places: input.watching_components ?? undefined,
    ignored: input.ignored_bugs ?? undefined,
  }
}

function parseCells(email: NonNullable<Input['email']>): PreferencesUpdate['cells'] {
  return Object.entries(email).flatMap(([role, events]) => {
    assertKnown(`email.${role}`, role, MAIL_ROLES)
    return Object.entries(events ?? {}).flatMap(([event, isOn]) => {
      const name = `email.${role}.${event}`
      assertKnown(name, event, MAIL_EVENTS)
      return isOn === undefined ? [] : [{ name, role, event, isOn }]
    })
  })
}

function assertKnown(field: string, given: string, known: readonly string[]): void {
  if (!known.includes(given)) {
    throw fault('parameterInvalid', {
      field: field.slice(0, 100),
      reason: `does not exist; it is one of: ${known.join(', ')}`,
    })
  }
}

function parseSwitches(input: Input): PreferencesUpdate['cells'] {
  return SWITCH_NAMES.flatMap((name) => {
    const [role, event] = SWITCHES[name]
    const isOn = input[name]
    return isOn === undefined ? [] : [{ name, role, event, isOn }]
  })
}

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

function places() {
  const place = z.object({ product: requiredText(), component: text() }).transform(
    ({ product, component }): PlaceName => ({
      product: product.trim(),
      component: component === undefined || component.trim() === '' ? null : component.trim(),
    }),
  )
  return z
    .preprocess(
      (given) => (given === undefined || Array.isArray(given) ? given : [given]),
      z.array(place).optional(),
    )
    .meta({
      type: 'array',
      items: {
        type: 'object',
        properties: { product: { type: 'string' }, component: { type: ['string', 'null'] } },
      },
    })
}

function unlessNull<Shape extends z.ZodType>(shape: Shape) {
  return z.preprocess((given) => given ?? undefined, shape).meta(shape.meta() ?? {})
}
