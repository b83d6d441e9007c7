import { MOST_OF_PAGE } from '../../../tracker/fields/listed-values.ts'
import { readFile } from '../attachments/upload.ts'
import { type ControlKind, CUSTOM_KINDS, type FormControl, KINDS, readValues } from '../bug/form.ts'
import type { PageRequest } from '../page.ts'
import { labelOf } from '../parts/labels.ts'
import type { Entry } from './load.ts'

/** What the address of a form or a form itself says, by the names of File a bug. */
export type GivenTexts = ReadonlyMap<string, string>

/** Names in the addresses of older trackers. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  short_desc: 'summary',
  comment: 'description',
  bug_severity: 'severity',
  bug_type: 'type',
  rep_platform: 'platform',
  bug_file_loc: 'url',
  status_whiteboard: 'whiteboard',
  blocked: 'blocks',
  dependson: 'depends_on',
}

const FIRST = ['type', 'version', 'severity', 'priority', 'platform', 'op_sys']

/** Fields that few people need when they file. */
export const FURTHER: ReadonlySet<string> = new Set([
  ...['target_milestone', 'assigned_to', 'cc', 'keywords', 'depends_on', 'blocks', 'groups'],
  ...['alias', 'url', 'whiteboard', 'deadline'],
])

const NAMES = [...FIRST, ...FURTHER]

/** Groups are typed, because those of a bug that is not there yet are not known. */
function kindOf(name: string): ControlKind {
  return name === 'groups' ? 'words' : (KINDS[name] ?? 'line')
}

export function readAddress({ url }: PageRequest): GivenTexts {
  const given = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    const own = (Object.hasOwn(OLD_NAMES, name) ? OLD_NAMES[name] : undefined) ?? name
    const before = given.get(own)
    given.set(own, before === undefined ? value : `${before}, ${value}`)
  }
  return given
}

/** Other fields are not read, so that the answer names them. */
export function readNewForm({ form }: PageRequest): GivenTexts {
  const known = [...new Set(form.keys())].filter((name) => OF_FORM.has(name) || isOfBug(name))
  return new Map(Object.entries(readValues(form, known)))
}

/** The name of a file that came along, which no page can give back to its reader; empty where none did. */
export function lostFile(request: PageRequest, given: GivenTexts): string {
  return readFile(request)?.name ?? given.get('lost') ?? ''
}

export function controlsOfNew(
  { ctx }: PageRequest,
  entry: Entry & {},
  given: GivenTexts,
): FormControl[] {
  const { settings } = ctx
  const { product, choices, custom } = entry
  const active = (list: readonly { name?: string; is_active?: boolean }[] = []) =>
    list.length > MOST_OF_PAGE
      ? undefined
      : list.flatMap(({ name, is_active }) => (is_active === false ? [] : (name ?? [])))
  const defaults: Readonly<Record<string, string | undefined>> = {
    type: product.default_bug_type || settings.DEFAULT_BUG_TYPE,
    version: product.default_version,
    target_milestone: product.default_milestone,
    severity: settings.DEFAULT_SEVERITY,
    priority: settings.DEFAULT_PRIORITY,
    platform: settings.DEFAULT_PLATFORM,
    op_sys: settings.DEFAULT_OP_SYS,
  }
  const options = (name: string) =>
    name === 'version'
      ? active(product.versions)
      : name === 'target_milestone'
        ? active(product.milestones)
        : choices.get(name)
  const control = (name: string, kind: ControlKind, label: string): FormControl => {
    const offered = options(name)
    const value = given.get(name) ?? defaults[name] ?? ''
    return { name, key: name, label, kind, value, ...(offered && { options: offered }) }
  }
  return [
    ...NAMES.map((name) => control(name, kindOf(name), labelOf(name))),
    ...custom.map(({ name = '', type = 0, display_name = name }) =>
      control(name, CUSTOM_KINDS[type] ?? 'line', display_name),
    ),
  ]
}

/** Lists between blanks or commas. */
function isList(name: string): boolean {
  return NAMES.includes(name) && ['words', 'people'].includes(kindOf(name))
}

/** What the form has beside fields of the bug. */
const OF_FORM: ReadonlySet<string> = new Set([
  ...['private', 'looked', 'moved', 'request', 'file', 'file_summary', 'lost'],
])

const OF_BUG: ReadonlySet<string> = new Set([
  ...['product', 'component', 'summary', 'description'],
  ...NAMES,
])

function isOfBug(name: string): boolean {
  return OF_BUG.has(name) || name.startsWith('cf_')
}

/** The parameters of File a bug; what was left empty has its default. */
export function toParameters(given: GivenTexts): Record<string, unknown> {
  const entries = [...given].filter(([name, value]) => value.trim() !== '' && isOfBug(name))
  return {
    ...Object.fromEntries(
      entries.map(([name, value]) => [name, isList(name) ? value.split(/[\s,]+/) : value]),
    ),
    ...(given.has('private') && { comment_is_private: true }),
  }
}
