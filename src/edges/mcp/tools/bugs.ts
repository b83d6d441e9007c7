import { invalidParameter } from '../../../platform/faults/fault.ts'
import type { Parameters } from '../../../platform/http/request/app-env.ts'
import * as shapes from '../shapes.ts'
import { cutLists, omitEmpty, readTextLength, shortenTexts, TEXT_LENGTH } from '../shorten.ts'
import type { Tool } from '../types.ts'

const { text, texts, yesNo, edit } = shapes

/** Tools of their own, by the field that they read. */
const TOOLS_OF_FIELDS: ReadonlyMap<string, string> = new Map([
  ['comments', 'list_comments'],
  ['history', 'get_history'],
  ['attachments', 'list_attachments'],
])

/** Repeats what other fields say, is for programs, or has a tool of its own. */
const LEFT_OUT = [
  ...['assigned_to_detail', 'creator_detail', 'qa_contact_detail', 'cc_detail'],
  ...['triage_owner_detail', 'update_token', ...TOOLS_OF_FIELDS.keys()],
]

export const getBugTool: Tool = {
  name: 'get_bug',
  title: 'Read a bug',
  description:
    'Reads the fields of one bug with its description and flags. Empty fields are left out. The discussion is read by list_comments, files by list_attachments, earlier values by get_history.',
  effect: 'read',
  takes: {
    bug: shapes.bug,
    fields: texts('Names of the fields to read; all unless given'),
    text_length: shapes.textLength(TEXT_LENGTH),
  },
  required: ['bug'],
  operation: 'GET /bug/:id_or_alias',
  gives: { bug: { type: 'object' }, note: shapes.note },
  renamed: { include_fields: 'fields' },
  toParameters: ({ bug, fields }) => ({
    id_or_alias: String(bug),
    include_fields: fields ?? '_default,description',
    exclude_fields: LEFT_OUT.join(','),
  }),
  toResult: ({ body, given, unknownFields }) => {
    const { bugs } = body as { bugs: object[] }
    const whole = `GET /rest/bug/${String(given.bug)}`
    const { object, note } = cutLists(omitEmpty(bugs[0] ?? {}), whole)
    const remarks = [
      ...describeUnknown(unknownFields),
      ...describeLeftOut(given.fields),
      note ?? [],
    ]
      .flat()
      .join(' ')
    return {
      members: {
        bug: shortenTexts(object, readTextLength(given)),
        ...(remarks !== '' && { note: remarks }),
      },
    }
  },
}

function describeUnknown(names: readonly string[]): string[] {
  const listed = names.slice(0, 20).map((name) => `'${name.slice(0, 100)}'`)
  return listed.length === 0 ? [] : [`Bugs have no fields named ${listed.join(', ')}.`]
}

/** An empty field would look as if the bug had no comments. */
function describeLeftOut(fields: unknown): string[] {
  const names = new Set(
    String(fields ?? '')
      .split(/[\s,]+/)
      .map((name) => name.split('.')[0] ?? ''),
  )
  return LEFT_OUT.filter((name) => names.has(name)).map((name) => {
    const tool = TOOLS_OF_FIELDS.get(name)
    return tool === undefined
      ? `'${name}' is left out.`
      : `'${name}' is left out; ${tool} reads it.`
  })
}

/** What a new bug and an update have in common. */
const FIELDS = {
  type: text('Such as `defect`, `enhancement` or `task`'),
  priority: text('Name of the priority'),
  severity: text('Name of the severity'),
  platform: text('Hardware'),
  op_sys: text('Operating system'),
  status: text('Name of the status'),
  resolution: text('Name of the resolution, with a status that is closed'),
  assigned_to: text('Login'),
  target_milestone: text('Name of a milestone of the product'),
  whiteboard: text('Free text'),
  url: text('An address that the bug is about'),
  flags: shapes.flags,
  custom_fields: shapes.customFields,
}

export const fileBugTool: Tool = {
  name: 'file_bug',
  title: 'File a bug',
  description:
    'Files a new bug and returns its ID. Look for the same bug with find_duplicates first, and take product, component and version from get_product. People get mail.',
  effect: 'add',
  takes: {
    product: text('Name of the product'),
    component: text('Name of the component'),
    version: text('Version in which the bug was seen, one of those of the product'),
    summary: text('What is wrong, in one line of up to 255 characters'),
    description: text('How to make it happen, what was expected, what happened; Markdown'),
    ...FIELDS,
    cc: texts('Logins of people who get mail about the bug'),
    keywords: texts('Names of keywords'),
    blocks: texts('IDs of bugs that wait for this one'),
    depends_on: texts('IDs of bugs that this one waits for'),
    see_also: texts('Addresses of related bugs elsewhere'),
    groups: texts('Names of groups to which the bug is restricted'),
  },
  required: ['product', 'component', 'version', 'summary'],
  operation: 'POST /bug',
  gives: { id: { type: 'integer', description: 'ID of the new bug' } },
  toParameters: spreadCustomFields,
  toResult: ({ body }) => ({ members: { ...(body as { id: number }) } }),
}

export const updateBugTool: Tool = {
  name: 'update_bug',
  title: 'Change a bug',
  description:
    'Changes fields of one bug, all or none, and comments on it in the same step. To close it, give a closed status with a resolution; for a duplicate `dupe_of` alone. get_field with `status` tells which moves there are. People get mail.',
  effect: 'change',
  takes: {
    bug: shapes.bug,
    comment: text('A comment that goes with the change; Markdown'),
    comment_is_private: yesNo('Only insiders see the comment'),
    summary: text('One line of up to 255 characters'),
    ...FIELDS,
    reset_assigned_to: yesNo('Give the bug back to the default assignee of its component'),
    dupe_of: text('ID of the bug of which this is a duplicate'),
    product: text('Moves the bug to this product; needs component and version there'),
    component: text('Name of the component'),
    version: text('Name of the version'),
    cc: edit('Logins to add and to remove'),
    keywords: edit('Keywords to add and to remove'),
    blocks: edit('IDs of bugs that wait for this one'),
    depends_on: edit('IDs of bugs that this one waits for'),
    see_also: edit('Addresses of related bugs elsewhere'),
    groups: edit('Names of groups to which the bug is restricted'),
  },
  required: ['bug'],
  operation: 'PUT /bug/:id_or_alias',
  gives: {
    id: { type: 'integer' },
    last_change_time: { type: 'string' },
    changes: { type: 'object', description: 'What was added to and removed from each field' },
  },
  toParameters: ({ bug, comment, comment_is_private, ...given }) => ({
    ...spreadCustomFields(given),
    id_or_alias: String(bug),
    ...(comment !== undefined && { comment: { body: comment, is_private: comment_is_private } }),
  }),
  toResult: ({ body }) => {
    const { bugs } = body as { bugs: { id: number; last_change_time: string; changes: object }[] }
    const [{ id, last_change_time, changes } = {}] = bugs
    return { members: { id, last_change_time, changes: shortenTexts(changes, TEXT_LENGTH) } }
  },
}

function spreadCustomFields({ custom_fields, ...given }: Parameters): Parameters {
  if (custom_fields === undefined || custom_fields === null) {
    return given
  }
  const isObject = typeof custom_fields === 'object' && !Array.isArray(custom_fields)
  if (!isObject || Object.keys(custom_fields).some((name) => !/^cf_\w/i.test(name))) {
    throw invalidParameter('custom_fields', 'must be an object whose members begin with cf_')
  }
  return { ...given, ...custom_fields }
}
