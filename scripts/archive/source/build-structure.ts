import { FIELD_TYPE, SELECT_TYPES } from '../../../src/platform/db/schema/fields.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { DEFAULT_VALUE_SETTINGS } from '../../../src/tracker/fields/workflow.ts'
import { readFirstStart } from '../first-start.ts'
import type { Build } from './build-archive.ts'
import { buildProducts } from './build-products.ts'
import type { SourceField, SourceFlagType, SourcePerson, SourceValue } from './shapes.ts'
import { flagTypeKey, SELECTS } from './survey.ts'
import type { Line } from './writer.ts'

/** What lines of bugs need to know of the structure. */
export type Structure = {
  /** Custom fields by the names of the source. */
  readonly custom: ReadonlyMap<string, { readonly name: string; readonly type: number }>
  readonly flagTypes: ReadonlyMap<string, number>
  /** The name that a value has in the archive. */
  value(field: string, name: string): string
}

/** Writes everything that bugs refer to: what the source describes, and what its bugs name besides. */
export function buildStructure(build: Build): Structure {
  const first = readFirstStart()
  buildGroups(build, first)
  const classifications = buildClassifications(build)
  const custom = buildFields(build, first)
  const value = buildValues(build, first, custom)
  buildConditions(build, custom)
  const keywords = new Map(
    build.source.structure.keywords.map((one) => [fold(one.name), one] as const),
  )
  for (const name of build.survey.keywords) {
    keywords.set(fold(name), keywords.get(fold(name)) ?? { name })
  }
  for (const { name, description } of keywords.values()) {
    const id = build.numbers.of('keywords', name)
    build.writer.add('keywords', { id, name, description: description || name })
  }
  buildProducts(build, classifications)
  const flagTypes = buildFlagTypes(build)
  // the last, because all others name people
  buildPeople(build)
  return { custom, flagTypes, value }
}

const CUSTOM_TYPES: readonly number[] = Object.values(FIELD_TYPE)

type First = ReadonlyMap<string, readonly Line[]>

function buildGroups({ source, survey, numbers, writer, notes }: Build, first: First): void {
  for (const line of first.get('groups') ?? []) {
    numbers.of('groups', String(line.name), line.id)
    writer.add('groups', line)
  }
  for (const line of first.get('group_grants') ?? []) {
    writer.add('group_grants', line)
  }
  const others = new Map(source.structure.groups.map((group) => [fold(group.name), group]))
  for (const name of Object.values(survey.groupsByProduct()).flat()) {
    others.set(fold(name), { is_bug_group: true, ...others.get(fold(name)), name })
  }
  for (const group of others.values()) {
    if (numbers.has('groups', group.name)) {
      continue
    }
    const id = numbers.of('groups', group.name)
    writer.add('groups', {
      ...{ id, name: group.name, description: group.description || group.name },
      is_bug_group: group.is_bug_group ?? true,
      is_active: group.is_active ?? true,
      user_regexp: group.user_regexp ?? '',
      creation_time: survey.earliest,
    })
    const kinds = ['bless', 'membership', 'visible']
    const grants = kinds.map((kind) => ({ group: 'admin', kind }))
    writer.add('group_grants', { id, grants })
  }
  if (others.size > 0) {
    notes.add(
      'groups: how groups control products, and which include others, is not told by the source',
    )
  }
}

function buildClassifications({ source, numbers, writer }: Build): ReadonlySet<string> {
  const { classifications, products } = source.structure
  const known = new Map(classifications.map((one) => [fold(one.name), one]))
  for (const name of [...products.map((one) => one.classification ?? ''), 'Unclassified']) {
    if (name !== '' && !known.has(fold(name))) {
      known.set(fold(name), { name })
    }
  }
  for (const { name, description } of known.values()) {
    writer.add('classifications', {
      ...{ id: numbers.of('classifications', name), name },
      description: description ?? '',
    })
  }
  return new Set(known.keys())
}

/** Custom fields behind the built-in ones. A type that is not known becomes text. */
function buildFields(build: Build, first: First): Structure['custom'] {
  const { source, survey, mapping, numbers, writer, notes } = build
  for (const line of first.get('fields') ?? []) {
    numbers.of('fields', String(line.name), line.id)
    writer.add('fields', line)
  }
  const described = source.structure.fields.filter((field) => field.is_custom)
  const seen = [...survey.custom.keys()].filter(
    (name) => !described.some((field) => field.name === name),
  )
  const fields: SourceField[] = [
    ...described,
    ...seen.map((name) => {
      notes.add(
        `${name}: the source has values of this field, but does not describe it: it becomes text`,
      )
      return { name, display_name: name, type: FIELD_TYPE.largeText, is_custom: true, values: [] }
    }),
  ]
  const custom = new Map<string, { name: string; type: number }>()
  for (const [n, field] of fields.entries()) {
    const name = mapping.fields[field.name] === undefined ? field.name : mapping.fields[field.name]
    if (name === null || name === undefined) {
      continue
    }
    const isKnown = CUSTOM_TYPES.includes(field.type)
    const type = isKnown ? field.type : FIELD_TYPE.largeText
    if (!isKnown) {
      notes.add(`${name}: fields of type ${field.type} are not known here: it becomes text`)
    }
    custom.set(field.name, { name, type })
    writer.add('fields', {
      ...{ id: numbers.of('fields', name), name, type, is_custom: true },
      display_name: field.display_name || name,
      is_mandatory: field.is_mandatory ?? false,
      is_on_bug_entry: field.is_on_bug_entry ?? false,
      sort_key: 1000 + n * 10,
    })
  }
  return custom
}

/** The values of all select fields, and the workflow. */
function buildValues(build: Build, first: First, custom: Structure['custom']): Structure['value'] {
  const { source, survey, mapping, numbers, writer, notes } = build
  const written = new Map<string, string>()
  const rename = (field: string, name: string) => {
    const own = mapping.values[field]?.[name] ?? name
    // a source may write the same value in several ways
    return written.get(valueKey(field, fold(own))) ?? own
  }
  const selects = [
    ...Object.values(SELECTS).map((name) => ({ name, key: name, seen: survey.values.get(name) })),
    ...[...custom]
      .filter(([, { type }]) => SELECT_TYPES.includes(type))
      .map(([key, { name }]) => ({ name, key, seen: survey.custom.get(key) })),
  ]
  for (const { name: field, key, seen = new Set<string>() } of selects) {
    const described = source.structure.fields.find(({ name }) => name === key)?.values ?? []
    const own = described.filter(({ name }) => field === 'resolution' || name !== '')
    const base: readonly SourceValue[] =
      own.length > 0 ? own : (valuesOf(first, field) as readonly SourceValue[])
    const values = new Map<string, SourceValue>()
    if (field === 'resolution') {
      values.set('', { name: '' })
    }
    for (const value of base) {
      const name = rename(field, value.name)
      values.set(fold(name), { ...value, name })
    }
    for (const given of seen) {
      const name = rename(field, given)
      if ((name !== '' || field === 'resolution') && !values.has(fold(name))) {
        const isOpen = field === 'bug_status' ? !survey.closedStatuses.has(fold(given)) : undefined
        values.set(fold(name), {
          name,
          is_active: own.length === 0,
          is_open: isOpen,
        } as SourceValue)
        if (own.length === 0 && field === 'bug_status') {
          notes.add(`bug_status: nothing leads to '${name}': map it, or give it moves afterwards`)
        } else if (own.length > 0) {
          notes.add(`${field}: '${name}' is no value any more, but bugs have it: it is not offered`)
        }
      }
    }
    noteDefault(
      build,
      field,
      [...values.values()].map(({ name }) => name),
    )
    for (const [n, value] of [...values.values()].entries()) {
      written.set(valueKey(field, fold(value.name)), value.name)
      writer.add('field_values', {
        id: numbers.of('field_values', valueKey(field, value.name)),
        ...{ field, name: value.name, description: value.description ?? '' },
        sort_key: Math.min(Math.max(value.sort_key ?? n * 100, 0), 32_767),
        is_active: value.is_active ?? true,
        ...(field === 'bug_status' && { is_open: value.is_open ?? true }),
      })
    }
  }
  buildWorkflow(build, first, rename)
  return rename
}

/** The values of new bugs where no setting names others. */
const USUAL: Readonly<Record<string, string>> = {
  bug_type: 'defect',
  priority: '--',
  bug_severity: '--',
  rep_platform: 'Unspecified',
  op_sys: 'Unspecified',
}

/** New bugs need a value, which a setting of the new tracker has to name where the usual one is none. */
function noteDefault({ source, notes }: Build, field: string, names: readonly string[]): void {
  const setting = DEFAULT_VALUE_SETTINGS[field]
  const usual = USUAL[field] ?? ''
  const told = source.structure.defaults[field]
  if (setting !== undefined && (told ?? usual) !== usual) {
    notes.add(`set ${setting} of the new tracker to '${told}', as in the source`)
  } else if (setting !== undefined && !names.map(fold).includes(fold(usual))) {
    notes.add(`set ${setting} of the new tracker to one of ${names.slice(0, 8).join(', ')}`)
  }
}

function valueKey(field: string, name: string): string {
  return `${field} ${name}`
}

function valuesOf(first: First, field: string): readonly unknown[] {
  return (first.get('field_values') ?? []).filter((line) => line.field === field)
}

function buildWorkflow(
  { source, numbers, writer, notes }: Build,
  first: First,
  rename: Structure['value'],
): void {
  const statuses = source.structure.fields.find(({ name }) => name === 'bug_status')?.values ?? []
  const moves = statuses.flatMap(({ name, can_change_to: targets = [] }) =>
    targets.map((target) => ({
      from: name === '' ? null : rename('bug_status', name),
      to: rename('bug_status', target.name),
      comment_required: target.comment_required,
    })),
  )
  const known = new Set(statuses.map(({ name }) => fold(rename('bug_status', name))))
  const lines = moves.filter(
    ({ from, to }) => to !== '' && to !== from && known.has(fold(to)),
  ) as readonly object[] as readonly { from: string | null; to: string }[]
  const all =
    statuses.length === 0
      ? ((first.get('status_transitions') ?? []) as readonly object[] as typeof lines)
      : lines
  for (const line of all) {
    const id = numbers.of('status_transitions', `${line.from ?? ''} ${line.to}`)
    writer.add('status_transitions', { ...line, id })
  }
  if (statuses.length > 0 && !moves.some(({ from }) => from === null)) {
    notes.add(
      'bug_status: the source does not tell with which status bugs begin: with any open one',
    )
    for (const { name, is_open: isOpen } of statuses) {
      if (name !== '' && isOpen !== false) {
        const to = rename('bug_status', name)
        const id = numbers.of('status_transitions', ` ${to}`)
        writer.add('status_transitions', { id, from: null, to, comment_required: false })
      }
    }
  }
}

/** Which fields are shown, and which values offered, under which values of others. */
function buildConditions(build: Build, custom: Structure['custom']): void {
  const { source, numbers, writer, notes } = build
  const idsOf = (controller: string, names: readonly string[]) =>
    names.flatMap((name) => {
      const [kind, key] =
        controller === 'product' ? ['products', name] : ['field_values', valueKey(controller, name)]
      return numbers.has(kind as string, key as string)
        ? [numbers.of(kind as string, key as string)]
        : []
    })
  for (const { name } of source.structure.products) {
    numbers.of('products', name, source.structure.products.find((one) => one.name === name)?.id)
  }
  for (const field of source.structure.fields) {
    const own = custom.get(field.name)
    const { visibility_field: shownBy, value_field: offeredBy } = field
    const isShown = own !== undefined && isController(shownBy)
    const offered = isController(offeredBy) ? offeredBy : null
    if (own === undefined && offered === null) {
      continue
    }
    const shown = isShown ? idsOf(String(shownBy), field.visibility_values ?? []) : []
    if ((shownBy ?? '') !== '' && own !== undefined && shown.length === 0) {
      notes.add(
        `${field.name}: it is always shown, because its condition on '${shownBy}' is not known here`,
      )
    }
    if (own !== undefined && (shown.length > 0 || offered !== null)) {
      writer.add('field_conditions', {
        id: numbers.of('fields', own.name),
        visibility_field: shown.length > 0 ? shownBy : null,
        value_field: offered,
        visibility_values: shown,
      })
    }
    for (const value of own === undefined || offered === null ? [] : field.values) {
      const ids = idsOf(String(offered), value.visibility_values ?? [])
      const key = valueKey(own?.name ?? '', value.name)
      if (ids.length > 0 && numbers.has('field_values', key)) {
        const id = numbers.of('field_values', key)
        writer.add('value_conditions', { id, visibility_values: ids })
      }
    }
  }
}

const CONTROLLERS: ReadonlySet<string> = new Set(['product', ...Object.values(SELECTS)])

function isController(name: string | null | undefined): name is string {
  return typeof name === 'string' && CONTROLLERS.has(name)
}

function buildFlagTypes({ source, survey, numbers, writer, notes }: Build): Structure['flagTypes'] {
  const types = new Map<string, { type: SourceFlagType; scopes: object[] }>()
  for (const { name: product, components } of source.structure.products) {
    for (const { name: component, flag_types: own = [] } of components) {
      for (const type of own) {
        const found = types.get(String(type.id)) ?? { type, scopes: [] }
        found.scopes.push({ is_exclusion: false, product, component })
        types.set(String(type.id), found)
      }
    }
  }
  for (const [key, { id, name, target }] of survey.flagTypes) {
    if (!types.has(key)) {
      notes.add(
        `flag '${name}': bugs have it, but the source does not describe it: it is for all ${target}s`,
      )
      const number = numbers.of('flag_types', key, id)
      const type = { id: number, name, description: name, target, is_active: false }
      types.set(key, { type, scopes: [{ is_exclusion: false, product: null, component: null }] })
    }
  }
  const ids = new Map<string, number>()
  for (const [key, { type, scopes }] of types) {
    const { target, ...members } = type
    const id = numbers.of('flag_types', flagTypeKey(type.id, type.name, target), type.id)
    ids.set(key, id)
    writer.add('flag_types', {
      ...members,
      ...{ id, description: type.description || type.name, target_type: target, scopes },
    })
  }
  return ids
}

/** People, and whoever is meant by nobody. */
function buildPeople({ source, survey, numbers, writer, person }: Build): void {
  for (const one of source.structure.people) {
    survey.addPerson(one)
  }
  const people = new Map<string, SourcePerson>()
  for (const one of [...survey.people.values(), { name: person('') }]) {
    const name = person(one.name)
    people.set(fold(name), people.get(fold(name)) ?? { ...one, name })
  }
  // numbers of the source first, so that nobody else gets them
  const ordered = [...people.values()].sort((a, b) => Number(!a.id) - Number(!b.id))
  for (const one of ordered) {
    const denied = one.login_denied_text ?? ''
    writer.add('users', {
      ...{ id: numbers.of('users', one.name, one.id), name: one.name },
      real_name: one.real_name ?? '',
      ...(denied !== '' && { login_denied_text: denied }),
      creation_time: survey.earliest,
      groups: (one.groups ?? []).filter((group) => numbers.has('groups', group)),
    })
  }
}
