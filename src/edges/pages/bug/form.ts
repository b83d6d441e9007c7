import { toPublicName } from '../../../tracker/fields/names.ts'
import { labelOf } from '../parts/labels.ts'
import { CUSTOM_BUG, CUSTOM_DAY, CUSTOM_MOMENT, CUSTOM_TEXT } from './facts.tsx'
import type { Bug, BugPage } from './load.ts'

/** How a value is typed. `words` and `people` are lists between commas, `links` one on each line. */
export type ControlKind =
  | 'line'
  | 'text'
  | 'choice'
  | 'choices'
  | 'words'
  | 'people'
  | 'person'
  | 'links'
  | 'day'
  | 'moment'
  | 'hours'
  | 'tick'

/** One control of the form of a bug, with the value that the bug has. */
export type FormControl = {
  /** A member of Change bugs. */
  readonly name: string
  /** Its name in the form, which tells the kind of a custom field as well. */
  readonly key: string
  readonly label: string
  readonly kind: ControlKind
  readonly value: string
  readonly options?: readonly string[]
}

/** What a form holds, by the names of its controls. Several choices stand on a line each. */
export type FormValues = Readonly<Record<string, string>>

/** The kinds of built-in fields, in the order of the form. */
export const KINDS: Readonly<Record<string, ControlKind>> = {
  summary: 'line',
  alias: 'line',
  product: 'choice',
  component: 'choice',
  version: 'choice',
  target_milestone: 'choice',
  type: 'choice',
  priority: 'choice',
  severity: 'choice',
  platform: 'choice',
  op_sys: 'choice',
  assigned_to: 'person',
  qa_contact: 'person',
  cc: 'people',
  keywords: 'words',
  whiteboard: 'line',
  url: 'line',
  depends_on: 'words',
  blocks: 'words',
  regressed_by: 'words',
  regressions: 'words',
  see_also: 'links',
  deadline: 'day',
  estimated_time: 'hours',
  remaining_time: 'hours',
  groups: 'choices',
  is_cc_accessible: 'tick',
  is_creator_accessible: 'tick',
  tags: 'words',
}

export const CUSTOM_KINDS: Readonly<Record<number, ControlKind>> = {
  2: 'choice',
  3: 'choices',
  [CUSTOM_TEXT]: 'text',
  [CUSTOM_MOMENT]: 'moment',
  [CUSTOM_BUG]: 'line',
  [CUSTOM_DAY]: 'day',
}

/** The fields that the reader may change, each with its legal values. */
export function controlsOf(page: BugPage): FormControl[] {
  const { bug, fields, choices } = page
  const may = new Set(bug.permissions?.fields)
  const builtIn = Object.entries(KINDS)
    .filter(([name]) => may.has(name) && (name !== 'groups' || groupsOf(bug).length > 0))
    .map(([name, kind]) => ({
      name,
      kind,
      key: name,
      label: labelOf(name),
      value: presentValue(bug, name, kind),
      ...optionsOf(page, name),
    }))
  const custom = fields
    .filter((field) => may.has('custom_fields') && isShown(page, field))
    .map(({ name = '', type = 0, display_name: label = name }) => {
      const kind = CUSTOM_KINDS[type] ?? 'line'
      const value = presentValue(bug, name, kind)
      const key = `${name}:${kind}`
      return { name, key, label, kind, value, ...withPresent(choices.get(name), value) }
    })
  return [...builtIn, ...custom]
}

type Definition = BugPage['fields'][number]

/** A custom field shows under certain values of another one; a value that it has shows always. */
function isShown({ bug }: BugPage, field: Definition): boolean {
  const { name = '', visibility_field: controller, visibility_values: values = [] } = field
  if (!(name in bug)) {
    return false
  }
  const given = controller ? bug[toPublicName(controller)] : undefined
  const isEmpty = ['', '---', 'null'].includes(String(bug[name]))
  return !controller || values.includes(String(given)) || !isEmpty
}

function presentValue(bug: Bug, name: string, kind: ControlKind): string {
  const value = bug[name] ?? ''
  switch (kind) {
    case 'choices':
      return name === 'groups'
        ? (bug.groups ?? []).filter((group) => groupsOf(bug).includes(group)).join('\n')
        : listOf(value).join('\n')
    case 'links':
      return listOf(value).join('\n')
    case 'words':
    case 'people':
      return listOf(value).join(', ')
    case 'tick':
      return String(value) === 'true' ? '1' : ''
    case 'day':
      return String(value).slice(0, 10)
    case 'moment':
      return String(value).replace(/Z$/, '')
    default:
      return String(Array.isArray(value) ? (value[0] ?? '') : value)
  }
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function groupsOf(bug: Bug): readonly string[] {
  return bug.permissions?.groups ?? []
}

const NO_PLACES: Partial<BugPage['more'] & {}> = { components: [], versions: [], milestones: [] }

function optionsOf(page: BugPage, name: string): { options?: readonly string[] } {
  const { bug, choices, more } = page
  const { products = [], components, versions, milestones } = more ?? NO_PLACES
  switch (name) {
    case 'product':
      return { options: products }
    case 'component':
      return withPresent(components, bug.component ?? '')
    case 'version':
      return withPresent(versions, bug.version ?? '')
    case 'target_milestone':
      return withPresent(milestones, bug.target_milestone ?? '')
    case 'groups':
      return { options: groupsOf(bug) }
    case 'keywords':
      return { options: more?.keywords ?? [] }
    default:
      return withPresent(choices.get(name), String(bug[name] ?? ''))
  }
}

/** A value that a bug has may stay, even if it is no longer offered. */
function withPresent(options: readonly string[] | undefined, present: string) {
  const kept = present.split('\n').filter((one) => one !== '')
  return options === undefined ? {} : { options: [...new Set([...options, ...kept])] }
}

/** What the form says now, control by control, for those that it had. */
export function readValues(form: FormData, names: Iterable<string>): FormValues {
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      form
        .getAll(name)
        .map((value) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''))
        .join('\n'),
    ]),
  )
}

/** The members of Change bugs for what was typed otherwise than the form had been filled. */
export function changesBetween(before: FormValues, typed: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(before)
      .filter((key) => typed[key] !== before[key])
      .flatMap((key) => {
        const { name, kind } = kindOf(key)
        return kind === undefined
          ? []
          : [[name, changeOf({ name, kind }, before[key] ?? '', typed[key] ?? '')]]
      }),
  )
}

/** Lists by the text of their control; null for what is one value. */
function itemsOf(name: string, kind: string | undefined, text: string): string[] | null {
  const separator = kind === undefined ? undefined : SEPARATORS[kind]
  return separator === undefined || (kind === 'choices' && name !== 'groups')
    ? null
    : text
        // tags of their own may have blanks
        .split(name === 'tags' ? /,/ : separator)
        .map((item) => item.trim())
        .filter((item) => item !== '')
}

const SEPARATORS: Readonly<Record<string, RegExp>> = {
  words: /[\s,]+/,
  people: /[\s,]+/,
  links: /\n/,
  choices: /\n/,
}

function kindOf(key: string): { name: string; kind: string | undefined } {
  const [name = '', customKind] = key.split(':')
  const ofOther = name.startsWith('cf_') ? customKind : undefined
  return { name, kind: Object.hasOwn(KINDS, name) ? KINDS[name] : ofOther }
}

function changeOf(
  { name, kind }: { name: string; kind: string },
  before: string,
  typed: string,
): unknown {
  const [had, has] = [itemsOf(name, kind, before), itemsOf(name, kind, typed)]
  if (had !== null && has !== null) {
    return {
      add: has.filter((item) => !had.includes(item)),
      remove: had.filter((item) => !has.includes(item)),
    }
  }
  switch (kind) {
    case 'choices':
      return typed.split('\n').filter((choice) => choice !== '')
    case 'tick':
      return typed === '1'
    case 'person':
      return typed.trim()
    case 'moment':
      return typed === '' ? '' : `${typed}Z`
    default:
      return typed
  }
}

/**
 * What was typed, as it would have been typed into the form as it is now: others may have edited the same list. Null
 * where there is no list, so that one of both values ends.
 */
export function retype(
  key: string,
  { before, typed, now }: { before: string; typed: string; now: string },
): string | null {
  const { name, kind } = kindOf(key)
  const [had, has, others] = [before, typed, now].map((text) => itemsOf(name, kind, text))
  if (!(had && has && others)) {
    return null
  }
  const kept = others.filter((item) => has.includes(item) || !had.includes(item))
  const items = new Set([...kept, ...has.filter((item) => !had.includes(item))])
  return [...items].join(kind === 'links' || kind === 'choices' ? '\n' : ', ')
}
