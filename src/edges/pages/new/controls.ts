import { readFile } from '../attachments/upload.ts'
import type { Control, Kind } from '../bug/form.ts'
import { labelOf } from '../bug/labels.ts'
import type { PageRequest } from '../page.ts'
import type { Entry } from './load.ts'

/** What the address of a form or a form itself says, by the names of File a bug. */
export type Given = ReadonlyMap<string, string>

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

/** Fields in the order of the form; those that most people leave alone come last. */
const KINDS: Readonly<Record<string, Kind>> = {
  type: 'choice',
  version: 'choice',
  severity: 'choice',
  priority: 'choice',
  platform: 'choice',
  op_sys: 'choice',
  target_milestone: 'choice',
  assigned_to: 'person',
  cc: 'people',
  keywords: 'words',
  depends_on: 'words',
  blocks: 'words',
  groups: 'words',
  alias: 'line',
  url: 'line',
  whiteboard: 'line',
  deadline: 'day',
}

const CUSTOM_KINDS: Readonly<Record<number, Kind>> = {
  2: 'choice',
  3: 'choices',
  4: 'text',
  5: 'moment',
  9: 'day',
}

/** Lists between blanks or commas. */
const LISTS: ReadonlySet<string> = new Set(['cc', 'keywords', 'depends_on', 'blocks', 'groups'])

export function readAddress({ url }: PageRequest): Given {
  const given = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    const own = OLD_NAMES[name] ?? name
    const before = given.get(own)
    given.set(own, before === undefined ? value : `${before}, ${value}`)
  }
  return given
}

export function readForm({ form }: PageRequest): Given {
  const names = new Set([...form.keys()])
  return new Map(
    [...names].map((name) => [
      name,
      form
        .getAll(name)
        .map((value) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''))
        .join('\n'),
    ]),
  )
}

/** The name of a file that came along, which no page can give back to its reader; empty where none did. */
export function lostFile(request: PageRequest, given: Given): string {
  return readFile(request)?.name ?? given.get('lost') ?? ''
}

export function controlsOf({ ctx }: PageRequest, entry: Entry & {}, given: Given): Control[] {
  const { settings } = ctx
  const { product, choices, custom } = entry
  const active = (list: readonly { name?: string; is_active?: boolean }[] = []) =>
    list.flatMap(({ name, is_active }) => (is_active === false ? [] : (name ?? [])))
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
  const control = (name: string, kind: Kind, label: string): Control => {
    const offered = options(name)
    const value = given.get(name) ?? defaults[name] ?? ''
    return { name, key: name, label, kind, value, ...(offered && { options: offered }) }
  }
  return [
    ...Object.entries(KINDS).map(([name, kind]) => control(name, kind, labelOf(name))),
    ...custom.map(({ name = '', type = 0, display_name = name }) =>
      control(name, CUSTOM_KINDS[type] ?? 'line', display_name),
    ),
  ]
}

/** The parameters of File a bug; what was left empty has its default. */
export function toParameters(given: Given): Record<string, unknown> {
  const plain = ['product', 'component', 'summary', 'description', ...Object.keys(KINDS)]
  const entries = [...given].filter(
    ([name, value]) => value.trim() !== '' && (plain.includes(name) || name.startsWith('cf_')),
  )
  return {
    ...Object.fromEntries(
      entries.map(([name, value]) => [name, LISTS.has(name) ? value.split(/[\s,]+/) : value]),
    ),
    ...(given.has('private') && { comment_is_private: true }),
  }
}
