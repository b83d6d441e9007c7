import { type ResolvedRef, requireVisibleBugs } from '../../../platform/access/bug-set.ts'
import type { Caller } from '../../../platform/access/caller.ts'
import { bugAliasUnknown } from '../../../platform/access/faults.ts'
import type { RowsOf } from '../../../platform/db/read-batch.ts'
import { MULTI_SELECT_TYPES, SELECT_TYPES } from '../../../platform/db/schema/fields.ts'
import { fault, fieldNotSettable, invalidParameter } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { EMPTY_CHOICE } from '../../fields/empty-choice.ts'
import { selectValueUnknown } from '../model/faults.ts'
import { type CustomInput, choicesIn, isSameValue, refsIn } from './input.ts'
import type { loadCustom } from './load.ts'
import { type CustomValue, customFieldType } from './types.ts'

type Selects = ReturnType<typeof loadCustom>

/** What `loadCustom` read. */
export type KnownCustom = { readonly [Name in keyof Selects]?: RowsOf<Selects[Name]> | undefined }

export type CustomFieldDefinition = NonNullable<KnownCustom['customFields']>[0]
export type CurrentValue = NonNullable<KnownCustom['customValues']>[0]
type FieldChoice = NonNullable<KnownCustom['customChoices']>[0]

/** The IDs of the values of a bug on which fields may depend, by internal field names. */
export type Controllers = ReadonlyMap<string, readonly number[]>

export function isChoice({ type }: Pick<CustomFieldDefinition, 'type'>): boolean {
  return SELECT_TYPES.includes(type)
}

/** Whether a field or value is offered: always without a controlling field. */
export function isUnderController(
  controller: string | null,
  ids: readonly number[],
  controllers: Controllers,
): boolean {
  return (
    controller === null ||
    ids.length === 0 ||
    (controllers.get(controller) ?? []).some((id) => ids.includes(id))
  )
}

export class FieldValues {
  /** The fields that the request names. */
  readonly fields: readonly CustomFieldDefinition[]
  readonly #caller: Caller
  readonly #input: CustomInput
  readonly #choices: ReadonlyMap<string, FieldChoice>
  readonly #bugs: ReadonlyMap<string, ResolvedRef>
  /** Fields whose values are the same for all bugs. */
  readonly #plain = new Map<CustomFieldDefinition, readonly CustomValue[]>()

  constructor(caller: Caller, input: CustomInput, known: KnownCustom) {
    this.#caller = caller
    this.#input = input
    this.fields = (known.customFields ?? []).filter(({ name }) => input[name] !== undefined)
    this.#choices = new Map(
      (known.customChoices ?? []).map((row) => [`${row.fieldId} ${row.nameFold}`, row]),
    )
    const byPlace = new Map((known.customBugs ?? []).map((row) => [row.place, row]))
    this.#bugs = new Map(
      refsIn(input).flatMap(({ given }, place) => {
        const row = byPlace.get(place)
        return row === undefined ? [] : [[given, row]]
      }),
    )
  }

  /** Whether the request names a field that exists, in any case. */
  hasField(name: string): boolean {
    return this.fields.some((field) => field.name === name.toLowerCase())
  }

  /** The new values of a field of a bug; a choice that the bug has already may stay. */
  valuesOf(
    field: CustomFieldDefinition,
    controllers: Controllers,
    current: readonly CurrentValue[],
  ): readonly CustomValue[] {
    const next = isChoice(field)
      ? this.#choicesOf(field, controllers, current)
      : this.#sharedValue(field)
    if (field.isObsolete && next.length > 0 && !isSameValue(current, next)) {
      throw fault(fieldNotSettable, { field: field.name })
    }
    return next
  }

  /** Adds the choices of this very request, on which other fields may depend, allowed or not. */
  withOwnChoices(ids: ReadonlyMap<string, readonly number[]>): Controllers {
    const own = this.fields
      .filter(isChoice)
      .map((field) => [field.name, this.#choiceIds(field)] as const)
    return new Map<string, readonly number[]>([...ids, ...own])
  }

  #choiceIds(field: CustomFieldDefinition): number[] {
    return this.#names(field).flatMap((name) => this.#choiceOf(field, name)?.id ?? [])
  }

  #sharedValue(field: CustomFieldDefinition): readonly CustomValue[] {
    const value = this.#plain.get(field) ?? this.#parse(field)
    this.#plain.set(field, value)
    return value
  }

  #parse(field: CustomFieldDefinition): CustomValue[] {
    const text = this.#singleText(field)
    const { parse } = customFieldType(field.type)
    if (parse !== null) {
      const value = parse(field.name, text)
      return value === null ? [] : [value]
    }
    const [ref] = refsIn({ [field.name]: [text] })
    if (ref === undefined) {
      return text.trim() === '' ? [] : this.#throwNoBug(text)
    }
    const row = this.#bugs.get(ref.given)
    const rows = row === undefined ? [] : [{ ...row, place: 0 }]
    return requireVisibleBugs(this.#caller, [ref], rows).map((id) => ({
      historyValue: String(id),
      fold: String(id),
      number: id,
    }))
  }

  #throwNoBug(text: string): never {
    throw fault(bugAliasUnknown, { given: text.slice(0, 100) })
  }

  #choicesOf(
    field: CustomFieldDefinition,
    controllers: Controllers,
    current: readonly CurrentValue[],
  ): CustomValue[] {
    return this.#names(field).map((name) => {
      const choice = this.#choiceOf(field, name)
      const isOffered =
        choice?.isActive && isUnderController(field.valueField, choice.offeredUnder, controllers)
      if (
        choice === undefined ||
        !(isOffered || current.some((row) => row.valueId === choice.id))
      ) {
        throw fault(selectValueUnknown, { field: field.name, value: name.slice(0, 100) })
      }
      return { historyValue: choice.name, fold: choice.nameFold, valueId: choice.id }
    })
  }

  /** The given names, once each; `---` means no choice. */
  #names(field: CustomFieldDefinition): string[] {
    const texts = this.#input[field.name] ?? []
    const names = MULTI_SELECT_TYPES.includes(field.type)
      ? choicesIn(texts)
      : [this.#singleText(field).trim()]
    const some = names.filter((name) => name !== '' && name !== EMPTY_CHOICE)
    return [...new Map(some.map((name) => [fold(name), name])).values()]
  }

  /** The one text of a field; a list of one is its item. */
  #singleText({ name }: CustomFieldDefinition): string {
    const [text = '', ...others] = this.#input[name] ?? []
    if (others.length > 0) {
      throw invalidParameter(name, 'must be one value, not a list')
    }
    return text
  }

  #choiceOf(field: CustomFieldDefinition, name: string) {
    return this.#choices.get(`${field.id} ${fold(name)}`)
  }
}
