/**
 * Writes what the source and docs/reference say to where the other needs it: texts about operations
 * and parameters to descriptions.json, for the OpenAPI document, faults to the table of errors.md, and parts to those
 * of archive.md.
 * `--check` fails when a file is out of date.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { AnyFault } from '../src/platform/faults/fault.ts'
import { toAnchor } from '../src/platform/lib/markdown/anchor.ts'
import { leftOutRows, partRows } from './archive-rows.ts'
import { errorRows } from './error-rows.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs/reference')
const target = join(root, 'src/platform/http/openapi/descriptions.json')

/** Names that several operations share, which the pages explain outside of tables. */
const SHARED: Readonly<Record<string, string>> = {
  include_fields: 'Only these fields of the answer.',
  exclude_fields: 'Not these fields of the answer; wins over include_fields.',
  id: 'An ID.',
  ids: 'IDs of further objects.',
  names: 'Names of further objects.',
  id_or_name: 'An ID or a name.',
  id_or_alias: 'The ID or alias of a bug.',
  bug_id: 'The ID of a bug.',
  attachment_id: 'The ID of an attachment.',
  comment_id: 'The ID of a comment.',
  comment_ids: 'IDs of further comments.',
  field: 'The name or ID of a field.',
  value: 'The name of a value, or its ID when no name matches.',
  group: 'The ID or name of a group.',
  private: 'The older name of is_private.',
  real_name: 'The older name of full_name.',
  token: 'A login token.',
  Tracker_restrictlogin: 'Whether the token is good only for the address that asks for it.',
  Bugzilla_restrictlogin: 'Whether the token is good only for the address that asks for it.',
  is_requesteeble: 'Whether a person can be asked.',
  comment: 'The older name of description.',
  quicksearch: 'A search in one line, as people type it.',
  login: 'The login of a person.',
  name: 'What older clients call the login, or a name of the object.',
  component: 'The name of a component; some clients call the name of a new one so.',
  product: 'The name or ID of a product.',
  version: 'The older name of default_version.',
  is_open: 'What some clients call is_active of something new.',
  sort_key: 'Another spelling of sortkey.',
  flag_id: 'The ID of a flag.',
  type_id: 'The ID of a flag type.',
  type_name: 'The name of flag types.',
  short_short_desc: 'An older name of short_desc.',
}

/** The sections that explain the parameters of an operation beside its own. */
const MORE_SECTIONS: Readonly<Record<string, readonly string[]>> = {
  'search.md#search-bugs': [
    'search.md#criteria',
    'search.md#search-fields',
    'bugs.md#default-fields',
    'bugs.md#extra-fields',
  ],
}

type Section = { page: string; text: string }
/** Characters of an answer that is worth its place in the description. */
const MAX_EXAMPLE_LENGTH = 1500

/** Variables of examples that are texts; all others are numbers. */
const WORDS =
  /PRODUCT$|COMPONENT$|LOGIN|KEY$|KEYWORD|NAME|TOKEN|PASSWORD|GROUP$|TIME|DATE|PERSON$|REPORTER$|ADMIN$/

/** A section with such a line, or such a cell, describes operations. */
const PATH_LINE = /^(?:\| )?`(?:GET|POST|PUT|DELETE) /m

type Example = { request: string; status: number; body?: unknown; answer: unknown }
type Description = {
  text: string
  required: string[]
  parameters: Record<string, string>
  examples: Example[]
}

const sections = new Map<string, Section>()
for (const page of readdirSync(folder).filter((name) => name.endsWith('.md'))) {
  const text = readFileSync(join(folder, page), 'utf8')
  // a section contains its subsections, which are sections too
  for (const start of [/^## /m, /^### /m]) {
    for (const part of text.split(start).slice(1)) {
      const [heading = '', ...lines] = part.split(/^## /m)[0]?.split('\n') ?? []
      sections.set(`${page}#${toAnchor(heading)}`, { page, text: lines.join('\n') })
    }
  }
}

/** Plain text: links lead nowhere outside of the page. */
function toPlain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('\\|', '|')
    .trim()
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The sections that a piece of text links to. */
function findLinks(text: string, page: string): string[] {
  return [...text.matchAll(/\]\(([\w-]+\.md)?#([\w-]+)\)/g)].map(
    ([, other = page, anchor]) => `${other}#${anchor}`,
  )
}

/** The rows of the tables about parameters and fields, as cells. */
function readRows(text: string, headers = ['parameter', 'field']): string[][] {
  const rows: string[][] = []
  let isWanted = false
  for (const line of text.replace(/^```[\s\S]*?^```/gm, '').split('\n')) {
    const cells = line.startsWith('|')
      ? line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim())
      : []
    if (cells.length === 0) {
      isWanted = false
    } else if (headers.includes(cells[0] ?? '')) {
      isWanted = true
    } else if (isWanted && !/^-+$/.test(cells[0] ?? '')) {
      rows.push(cells)
    }
  }
  return rows
}

/** What the tables of a section say of each name; rows that point to another section have its text. */
function readParameters(key: string, seen: readonly string[] = []): Record<string, string> {
  const section = sections.get(key)
  if (section === undefined || seen.includes(key)) {
    return {}
  }
  const found: Record<string, string> = {}
  for (const cells of readRows(section.text)) {
    const row = cells.join(' ')
    const meaning = toPlain(
      cells
        .slice(1)
        .filter((cell) => cell !== '' && cell !== 'in the path')
        .join('; '),
    )
    const names = readNames(cells[0])
    const others =
      cells[0]?.includes('](') || /^(?:; )?as (?:in|for) /.test(meaning)
        ? findLinks(row, section.page)
        : []
    const inherited = Object.assign(
      {},
      ...others.map((other) => readParameters(other, [...seen, key])),
    )
    for (const name of names.length > 0 ? names : Object.keys(inherited)) {
      const text = inherited[name] ?? capitalize(meaning)
      if (text !== '') {
        found[name] ??= text
      }
    }
  }
  return found
}

/** The names between backticks in a cell. */
function readNames(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([\w.{}-]+)`/g)].map(([, name = '']) => name)
}

/** What a section says of its parameters, then the operations that its sentences point to, then other sections. */
function collectParameters(key: string): Record<string, string> {
  const section = sections.get(key)
  const linked = findLinks(section?.text ?? '', section?.page ?? '').filter((other) =>
    PATH_LINE.test(sections.get(other)?.text ?? ''),
  )
  const sources = [key, ...linked, ...(MORE_SECTIONS[key] ?? [])]
  return Object.assign(
    key === 'search.md#search-bugs' ? readSearchFields() : {},
    ...sources.toReversed().map((source) => readParameters(source)),
  )
}

/** The internal and older names of fields, with what they are other names of. */
function readAliases(): Record<string, string> {
  const pairs: [string, string][] = []
  for (const cells of readTable('fields.md#field-names', 'in bugs')) {
    for (const at of [0, 2]) {
      const [name] = readNames(cells[at])
      pairs.push(...readNames(cells[at + 1]).map((alias): [string, string] => [alias, name ?? '']))
    }
  }
  for (const cells of readTable('search.md#criteria', 'parameter')) {
    const [name] = readNames(cells[0])
    pairs.push(...readNames(cells[1]).map((alias): [string, string] => [alias, name ?? '']))
  }
  return Object.fromEntries(pairs.map(([alias, name]) => [alias, `Another name of ${name}.`]))
}

/** What the fields of a search are, by the table of them. */
function readSearchFields(): Record<string, string> {
  const rows = readTable('search.md#search-fields', 'fields')
  return Object.fromEntries(
    rows.flatMap(([kind = '', names]) =>
      readNames(names).map((name) => [name, `A field to search by: ${kind}.`]),
    ),
  )
}

/** The names whose own rows say that they are required. */
function readRequired({ text }: Section): string[] {
  return readRows(text).flatMap(([names, ...cells]) =>
    cells.some((cell) =>
      /^(?:[\w ,]+, )?required\b(?! unless| except| without| where| if)/.test(cell),
    )
      ? readNames(names)
      : [],
  )
}

/** The examples that succeed with an answer of JSON, with numbers and words in place of their variables. */
function readExamples({ text }: Section): Example[] {
  const found = text.matchAll(
    /^```http\n(\w+ \S+)\n(?:[\w-]+: .*\n)*(?:\n([\s\S]*?))?```\n\n```json(?: (\d+))?\n([\s\S]*?)```/gm,
  )
  return [...found].flatMap(([, line = '', body = '', status = '200', answer = '']) =>
    Number(status) >= 300 || answer.length > MAX_EXAMPLE_LENGTH
      ? []
      : [
          {
            request: line,
            status: Number(status),
            ...(body.trim() === '' ? {} : { body: fillVariables(body) }),
            answer: fillVariables(answer),
          },
        ],
  )
}

function fillVariables(json: string): unknown {
  return JSON.parse(
    json
      .replace(/"\$[A-Z_0-9]+":/g, '"1":')
      .replace(/"\$([A-Z_0-9]+)"/g, (_, name) =>
        WORDS.test(name) ? `"${name.toLowerCase()}"` : '1',
      )
      .replace(/ ?\$RUN/g, '')
      .replace(/\$([A-Z_0-9]+)/g, (_, name) => name.toLowerCase()),
    // an ellipsis stands for members that the page leaves out
    (key, value) => (key === '…' ? undefined : value),
  )
}

function readTable(key: string, header: string): string[][] {
  return readRows(sections.get(key)?.text ?? '', [header])
}

/** The paragraphs above the first table or example, without the path. */
function readText({ text }: Section): string {
  const [head = ''] = text.split(/^(?:\||```|#|Rules$)/m)
  return head
    .split(/\n\n+/)
    .map((paragraph) => toPlain(paragraph))
    .filter(
      (paragraph) => paragraph !== '' && !/^(?:`(?:GET|POST|PUT|DELETE) |-? ?$)/.test(paragraph),
    )
    .join('\n\n')
}

const described: Record<string, Description> = {}
for (const [key, section] of sections) {
  if (PATH_LINE.test(section.text)) {
    described[key] = {
      text: readText(section),
      required: readRequired(section),
      parameters: collectParameters(key),
      examples: readExamples(section),
    }
  }
}
/** What the list of pages says of each, by name without the ending. */
function readPages(): Record<string, string> {
  const list = readFileSync(join(folder, 'README.md'), 'utf8')
  const rows = list.matchAll(/^\| \[([\w-]+)\.md\]\([\w-]+\.md\) \| (.+) \|$/gm)
  return Object.fromEntries([...rows].map(([, name = '', text = '']) => [name, text]))
}

const document = {
  pages: readPages(),
  sections: described,
  shared: { ...readAliases(), ...SHARED },
}
const errors = join(folder, 'errors.md')
const archive = join(folder, 'archive.md')
const outputs = [
  [target, `${JSON.stringify(document, null, 1)}\n`],
  [errors, await fillErrorTable(readFileSync(errors, 'utf8'))],
  [archive, fillArchiveTables(readFileSync(archive, 'utf8'))],
] as const
for (const [path, current] of outputs) {
  if (!process.argv.includes('--check')) {
    writeFileSync(path, current)
  } else if (readFileSync(path, 'utf8') !== current) {
    process.stderr.write(`${relative(root, path)} is out of date: run \`npm run descriptions\`\n`)
    process.exit(1)
  }
}

/** The page with the rows of "Table of errors" as the rooms define their faults. */
async function fillErrorTable(page: string): Promise<string> {
  const files = globSync(['src/platform/faults/*.ts', 'src/**/faults.ts'], { cwd: root })
  const modules = await Promise.all(files.map((file) => import(join(root, file))))
  const kinds = modules
    .flatMap((module) => Object.values(module))
    .filter((value): value is AnyFault => Object.hasOwn(value ?? {}, 'message'))
  const table = `| number | status | fault | sentence |\n|---|---|---|---|\n${errorRows(kinds)}`
  return page.replace(/^\| number \| status \| fault (?:.*\n)(?:\|.*\n)*/m, () => table)
}

/** The page with the tables of the parts and of what is left out, as `src/edges/archive/parts.ts` defines them. */
function fillArchiveTables(page: string): string {
  return page
    .replace(/(?<=^\| part \| lines \| members \|\n\|---\|---\|---\|\n)(?:\|.*\n)*/m, partRows)
    .replace(/(?<=^\| left out \| why \|\n\|---\|---\|\n)(?:\|.*\n)*/m, leftOutRows)
}
