import * as z from 'zod'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { type EditSet, editSetOf } from '../../platform/http/operations/edit-set.ts'
import {
  boolean,
  limitItems,
  names,
  requiredText,
  text,
} from '../../platform/http/operations/shapes.ts'
import { MAIL_EVENTS, MAIL_ROLES } from '../notices/preferences.ts'
import { SWITCH_NAMES, SWITCHES } from './present.ts'

/** A watched component by names; null means the whole product. */
export type PlaceName = { readonly product: string; readonly component: string | null }

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
    throw invalidParameter(field.slice(0, 100), `does not exist; it is one of: ${known.join(', ')}`)
  }
}

function parseSwitches(input: Input): PreferencesUpdate['cells'] {
  return SWITCH_NAMES.flatMap((name) => {
    const [role, event] = SWITCHES[name]
    const isOn = input[name]
    return isOn === undefined ? [] : [{ name, role, event, isOn }]
  })
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
