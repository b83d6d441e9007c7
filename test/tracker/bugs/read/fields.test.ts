import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../../src/platform/access/caller.ts'
import { readSettings } from '../../../../src/platform/settings/settings.ts'
import type { BugRow } from '../../../../src/tracker/bugs/read/columns.ts'
import {
  BUG_FIELDS,
  type BugField,
  classOfBugField,
  repeatingParser,
  type View,
} from '../../../../src/tracker/bugs/read/fields.ts'
import { bugShape } from '../../../../src/tracker/bugs/read/shape.ts'
import { PeoplePresenter } from '../../../../src/tracker/users/people.ts'
import { buildCaller } from '../../../support/builders/callers.ts'
import { DEFAULT_FIELDS, EXTRA_FIELDS } from '../../../support/tables/bug-fields.ts'

/** A bug that has only what every bug has. */
const BARE = {
  id: 7,
  alias: null,
  summary: 'It breaks',
  status: '["UNCONFIRMED",1]',
  resolution: '',
  isConfirmed: 0,
  type: 'defect',
  priority: '--',
  severity: '--',
  platform: 'Unspecified',
  opSys: 'Linux',
  product: 'P',
  classification: 'Unclassified',
  component: 'C',
  version: 'unspecified',
  milestone: '---',
  assignedTo: '[1,"ann@example.test","Ann [:ann]","ann"]',
  creator: '[2,"bob@example.test","",null]',
  qaContact: null,
  triageOwner: null,
  cc: '[]',
  isCcAccessible: 1,
  isCreatorAccessible: 0,
  groups: '[]',
  keywords: '[]',
  blocks: '[]',
  dependsOn: '[]',
  regressedBy: '[]',
  regressions: '[]',
  dupeOf: null,
  duplicates: '[]',
  seeAlso: '[]',
  url: '',
  whiteboard: '',
  deadline: null,
  createdAt: 1_700_000_000,
  changedAt: 1_700_000_001,
  commentCount: 1,
  flags: '[]',
  actualTime: 0,
  estimatedTime: 0,
  remainingTime: 0,
  custom: '[]',
  description: null,
  filedVia: 'api',
  tags: '[]',
  attachmentCount: 0,
  changedByPeopleAt: 1_700_000_000,
  rightsGroups: '[]',
  nextStatuses: '[]',
}

function buildView(settings: object = {}): View {
  return {
    people: new PeoplePresenter(ANONYMOUS, readSettings(settings)),
    baseUrl: 'https://tracker.test',
    tracksTime: true,
    parse: repeatingParser(),
    alias: (alias) => alias,
    person: buildCaller({ id: 7, login: 'a@example.test' }),
    settings: readSettings(settings),
  }
}

function presentFields(row: Partial<BugRow> = {}, view = buildView()) {
  return Object.fromEntries(
    Object.entries<BugField>(BUG_FIELDS).map(([name, field]) => [
      name,
      field.present({ ...BARE, ...row } as BugRow, view),
    ]),
  )
}

describe('the fields of a bug', () => {
  test('belong to the documented classes', () => {
    const namesOf = (fieldClass: string) =>
      Object.keys(BUG_FIELDS).filter((name) => classOfBugField(name) === fieldClass)

    expect(namesOf('default').sort()).toEqual(DEFAULT_FIELDS.toSorted())
    const alone = ['attachments', 'comments', 'history']
    expect([...namesOf('extra'), ...alone].sort()).toEqual(EXTRA_FIELDS.toSorted())
  })

  test('belong to the custom fields when they have another name', () => {
    expect(classOfBugField('summary')).toBe('default')
    expect(classOfBugField('tags')).toBe('extra')
    expect(classOfBugField('cf_anything')).toBe('custom')
    expect(classOfBugField('constructor')).toBe('custom')
  })

  test('have the empty value of their type by default', () => {
    const bug = presentFields()

    expect(bug).toMatchObject({
      id: 7,
      alias: null,
      summary: 'It breaks',
      status: 'UNCONFIRMED',
      resolution: '',
      is_open: true,
      is_confirmed: false,
      type: 'defect',
      product: 'P',
      component: 'C',
      classification: 'Unclassified',
      version: 'unspecified',
      platform: 'Unspecified',
      op_sys: 'Linux',
      priority: '--',
      severity: '--',
      target_milestone: '---',
      assigned_to: 'ann@example.test',
      assigned_to_detail: {
        id: 1,
        real_name: 'Ann [:ann]',
        nick: 'ann',
        name: 'ann@example.test',
        email: 'ann@example.test',
      },
      creator: 'bob@example.test',
      creator_detail: {
        id: 2,
        real_name: '',
        nick: 'bob',
        name: 'bob@example.test',
        email: 'bob@example.test',
      },
      qa_contact: '',
      qa_contact_detail: undefined,
      triage_owner: '',
      triage_owner_detail: undefined,
      cc: [],
      cc_detail: [],
      is_cc_accessible: true,
      is_creator_accessible: false,
      groups: [],
      keywords: [],
      blocks: [],
      depends_on: [],
      regressed_by: [],
      regressions: [],
      dupe_of: null,
      duplicates: [],
      see_also: [],
      url: '',
      whiteboard: '',
      deadline: null,
      creation_time: '2023-11-14T22:13:20Z',
      last_change_time: '2023-11-14T22:13:21Z',
      comment_count: 1,
      flags: [],
      actual_time: 0,
      estimated_time: 0,
      remaining_time: 0,
      update_token: '1700000001-7-7',
      description: '',
      filed_via: 'api',
      tags: [],
      last_change_time_non_bot: '2023-11-14T22:13:20Z',
      counts: {
        attachments: 0,
        cc: 0,
        comments: 1,
        keywords: 0,
        blocks: 0,
        depends_on: 0,
        regressed_by: 0,
        regressions: 0,
        duplicates: 0,
      },
    })
    const present = Object.entries(bug).filter(([, value]) => value !== undefined)
    expect(bugShape.safeParse(Object.fromEntries(present)).error).toBeUndefined()
  })

  test('include flags, with a requestee only if there is one', () => {
    const flags = JSON.stringify([
      [1, 'needinfo', 9, 1_700_000_000, 1_700_000_001, '?', 'a@example.test', 'b@example.test'],
      [2, 'review', 8, 1_700_000_000, 1_700_000_000, '+', 'a@example.test', null],
    ])

    expect(presentFields({ flags }).flags).toEqual([
      {
        id: 1,
        name: 'needinfo',
        type_id: 9,
        creation_date: '2023-11-14T22:13:20Z',
        modification_date: '2023-11-14T22:13:21Z',
        status: '?',
        setter: 'a@example.test',
        requestee: 'b@example.test',
      },
      {
        id: 2,
        name: 'review',
        type_id: 8,
        creation_date: '2023-11-14T22:13:20Z',
        modification_date: '2023-11-14T22:13:20Z',
        status: '+',
        setter: 'a@example.test',
      },
    ])
  })

  test('count the items of the other fields, each relation in its own direction', () => {
    const { counts } = presentFields({
      attachmentCount: 1,
      cc: '[[5,"c@example.test","C",null],[6,"d@example.test","D",null]]',
      commentCount: 3,
      keywords: '["a","b","c","d"]',
      blocks: '[1,2,3,4,5]',
      dependsOn: '[1,2,3,4,5,6]',
      regressedBy: '[1,2,3,4,5,6,7]',
      regressions: '[1,2,3,4,5,6,7,8]',
      duplicates: '[1,2,3,4,5,6,7,8,9]',
    })

    expect(counts).toEqual({
      attachments: 1,
      cc: 2,
      comments: 3,
      keywords: 4,
      blocks: 5,
      depends_on: 6,
      regressed_by: 7,
      regressions: 8,
      duplicates: 9,
    })
  })

  test('cut every login at the @ with the setting HIDE_EMAIL_DOMAINS', () => {
    const text = JSON.stringify(
      presentFields(
        {
          qaContact: '[3,"q@example.test","Q",null]',
          triageOwner: '[4,"t@example.test","T",null]',
          cc: '[[5,"c@example.test","C",null]]',
          flags: '[[1,"f",2,0,0,"?","s@example.test","r@example.test"]]',
        },
        buildView({ HIDE_EMAIL_DOMAINS: 'on' }),
      ),
    )

    expect(text).not.toContain('@example')
  })

  test('are not read for callers who never receive them', () => {
    const reader = { ...buildView(), tracksTime: false, person: null }
    const omitted = Object.entries<BugField>(BUG_FIELDS)
      .filter(([, field]) => field.isFor?.(reader) === false)
      .map(([name]) => name)

    expect(omitted).toEqual(['actual_time', 'estimated_time', 'remaining_time', 'update_token'])
    expect(
      Object.values<BugField>(BUG_FIELDS).every((field) => field.isFor?.(buildView()) ?? true),
    ).toBe(true)
  })
})
