import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { put } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { execute } from '../../support/database/execute.ts'

let place: TestProduct
let goal: TestProduct
const people = {} as Record<
  'editor' | 'confirmer' | 'assignee' | 'contact' | 'reporter' | 'stranger' | 'localEditor',
  TestPerson
>

beforeAll(async () => {
  const team = await insertGroup()
  people.editor = await insertPerson({ roles: ['editbugs'] })
  people.confirmer = await insertPerson({ roles: ['canconfirm'] })
  people.localEditor = await insertPerson({ groups: [team] })
  for (const name of ['assignee', 'contact', 'reporter', 'stranger'] as const) {
    people[name] = await insertPerson()
  }
  place = await insertProduct({
    assignee: people.assignee,
    controls: [{ group: team, editBugs: true }],
  })
  goal = await insertProduct()
  await execute(
    sql`INSERT INTO components (product_id, name, name_fold, description, default_assignee_id)
      VALUES (${place.id}, 'Elsewhere', 'elsewhere', '', ${people.assignee.id})`,
    sql`UPDATE components SET default_qa_contact_id = ${people.contact.id}
      WHERE product_id = ${place.id}`,
    sql`INSERT INTO versions (product_id, name, name_fold, is_active)
      VALUES (${place.id}, 'old', 'old', 0)`,
    sql`INSERT INTO milestones (product_id, name, name_fold, is_active)
      VALUES (${place.id}, 'M1', 'm1', 1), (${place.id}, 'M0', 'm0', 0)`,
  )
})

const fileOne = (more: object = {}) => postBug(people.reporter, place, { ...more })

/** An open and a closed bug, neither of which any case below changes. */
let open: number
let closed: number

beforeAll(async () => {
  open = await fileOne()
  closed = await postBug(people.editor, place, { status: 'RESOLVED', resolution: 'FIXED' })
})

describe('a value is refused', () => {
  test.each<[string, Record<string, unknown>, number, number, string]>([
    ['a blank summary', { summary: ' ' }, 400, 107, ''],
    ['no summary', { summary: null }, 400, 107, ''],
    ['a long summary', { summary: 'x'.repeat(256) }, 400, 104, 'summary'],
    ['an alias of digits', { alias: '12' }, 400, 103, '12'],
    ['a long alias', { alias: 'x'.repeat(41) }, 400, 103, 'longer'],
    ['an address that runs', { url: 'JAVASCRIPT:1' }, 400, 112, 'url'],
    ['an endless whiteboard', { whiteboard: 'x'.repeat(65_536) }, 400, 104, 'whiteboard'],
    ['a blank priority', { priority: '' }, 400, 50, 'priority'],
    ['no severity', { severity: null }, 400, 50, 'severity'],
    ['an unknown type', { type: 'wish' }, 400, 104, 'wish'],
    ['an unknown platform', { platform: 'Abacus' }, 400, 104, 'Abacus'],
    ['an unknown op_sys', { op_sys: 'CP/M' }, 400, 104, 'CP/M'],
    ['a blank version', { version: ' ' }, 400, 50, 'version'],
    ['no version', { version: null }, 400, 50, 'version'],
    ['an unknown version', { version: 'x' }, 404, 51, 'version'],
    ['an inactive version', { version: 'old' }, 404, 51, 'not active'],
    ['a blank milestone', { target_milestone: '' }, 400, 50, 'target_milestone'],
    ['an unknown milestone', { target_milestone: 'x' }, 404, 51, 'milestone'],
    ['an inactive milestone', { target_milestone: 'M0' }, 404, 51, 'not active'],
    ['no assignee', { assigned_to: null }, 400, 50, 'assigned_to'],
    ['a blank assignee', { assigned_to: ' ' }, 400, 50, 'assigned_to'],
    ['an unknown assignee', { assigned_to: 'nobody@x.test' }, 401, 504, 'nobody@x.test'],
    ['an unknown QA contact', { qa_contact: 'nobody@x.test' }, 401, 504, 'nobody@x.test'],
    ['a blank status', { status: '' }, 400, 50, 'status'],
    ['an unknown status', { status: 'CLOSED' }, 404, 51, 'CLOSED'],
    ['a status out of reach', { status: 'VERIFIED' }, 400, 123, 'VERIFIED'],
    ['closing without a resolution', { status: 'RESOLVED' }, 400, 121, 'RESOLVED'],
    ['a resolution on an open bug', { resolution: 'FIXED' }, 400, 122, 'FIXED'],
    ['an unknown resolution', { resolution: 'DONE' }, 404, 51, 'DONE'],
    [
      'a duplicate of nothing',
      { status: 'RESOLVED', resolution: 'DUPLICATE' },
      400,
      119,
      'dupe_of',
    ],
  ])('%s', async (_, body, status, code, naming) => {
    await expectRefusal(
      () => put(people.editor, `/rest/bug/${open}`, { comment: 'Not this.', ...body }),
      status,
      code,
      naming,
    )
  })

  test('an alias of another bug, in any spelling', async () => {
    const alias = uniqueName('Alias')
    const holder = await fileOne({ alias })
    const take = () => put(people.editor, `/rest/bug/${open}`, { alias: alias.toUpperCase() })
    await expectRefusal(take, 400, 103, `bug ${holder}`)
    const { id } = await insertGroup()
    await execute(sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${holder}, ${id})`)
    await expectRefusal(take, 400, 103, 'another bug')
  })

  test('one alias for several bugs', async () => {
    const alias = uniqueName('Alias')
    const path = `/rest/bug/${open}`
    await expectRefusal(() => put(people.editor, path, { ids: [closed], alias }), 400, 103, alias)
    expect((await put(people.editor, path, { ids: [closed, open], alias: ' ' })).status).toBe(200)
  })

  test('a value that has been switched off, unless the bug has it', async () => {
    const value = uniqueName('S')
    const [row] = await execute(sql`INSERT INTO field_values (field_id, name, name_fold, is_active)
      SELECT id, ${value}, ${value.toLowerCase()}, 0 FROM fields WHERE name = 'bug_severity'
      RETURNING id`)
    const bug = await fileOne()
    const path = `/rest/bug/${bug}`
    await expectRefusal(() => put(people.editor, path, { severity: value }), 400, 104, value)
    await execute(sql`UPDATE bugs SET severity_id = ${row?.id}, version_id =
      (SELECT id FROM versions WHERE product_id = ${place.id} AND name = 'old') WHERE id = ${bug}`)
    expect(await changeBug(people.editor, bug, { severity: value, version: 'OLD' })).toEqual({})
  })
})

describe('a value is accepted', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['another spelling', { summary: 'CRASH' }, { summary: { removed: 'Crash', added: 'CRASH' } }],
    ['null for no address', { url: null }, { url: { removed: 'https://a.test', added: '' } }],
    ['a lone scheme', { url: 'http://' }, { url: { removed: 'https://a.test', added: '' } }],
    [
      'a name in any spelling',
      { target_milestone: ' m1 ', type: 'TASK' },
      {
        target_milestone: { removed: '---', added: 'M1' },
        type: { removed: 'defect', added: 'task' },
      },
    ],
    [
      'a switch',
      { is_creator_accessible: '0' },
      { is_creator_accessible: { removed: '1', added: '0' } },
    ],
    ['what is there already', { summary: ' Crash ', url: ' https://a.test', type: 'DEFECT' }, {}],
  ])('%s', async (_, body, expected) => {
    const bug = await fileOne({ summary: 'Crash', url: 'https://a.test' })
    expect(await changeBug(people.editor, bug, body)).toEqual(expected)
  })

  test('an alias in another spelling, and none any more', async () => {
    const [alias, ALIAS] = [uniqueName('alias')].flatMap((name) => [name, name.toUpperCase()])
    const bug = await fileOne({ alias })
    expect(await changeBug(people.editor, bug, { alias: [ALIAS] })).toEqual({
      alias: { removed: alias, added: ALIAS },
    })
    const { body } = await put(people.editor, `/rest/bug/${alias}`, { alias: '' })
    expect(body.bugs).toMatchObject([
      { id: bug, alias: null, changes: { alias: { removed: ALIAS, added: '' } } },
    ])
    await fileOne({ alias })
  })

  test('nobody as QA contact', async () => {
    expect(await changeBug(people.editor, await fileOne(), { qa_contact: null })).toEqual({
      qa_contact: { removed: people.contact.login, added: '' },
    })
  })

  test('an address that was unsafe before, as long as it stays', async () => {
    const bug = await fileOne()
    await execute(sql`UPDATE bugs SET url = 'javascript:1' WHERE id = ${bug}`)
    expect(await changeBug(people.editor, bug, { url: 'javascript:1' })).toEqual({})
  })
})

type Name = keyof typeof people
const EVERYBODY: Name[] = [
  'editor',
  'localEditor',
  'confirmer',
  'assignee',
  'contact',
  'reporter',
  'stranger',
]

describe('the right to change', () => {
  const bodies: [string, () => Record<string, unknown>, Name[]][] = [
    [
      'a plain field',
      () => ({ whiteboard: uniqueName('[w]') }),
      ['editor', 'localEditor', 'assignee', 'contact', 'reporter'],
    ],
    [
      'the QA contact',
      () => ({ qa_contact: people.stranger.login }),
      ['editor', 'localEditor', 'assignee', 'contact'],
    ],
    [
      'the milestone',
      () => ({ target_milestone: 'M1' }),
      ['editor', 'localEditor', 'assignee', 'contact'],
    ],
    [
      'the component',
      () => ({ component: 'Elsewhere' }),
      ['editor', 'localEditor', 'assignee', 'contact', 'reporter'],
    ],
    [
      'the product',
      () => ({ product: goal.name, component: goal.component }),
      ['editor', 'localEditor', 'assignee', 'contact', 'reporter'],
    ],
    [
      'what it is a duplicate of',
      () => ({ dupe_of: closed }),
      ['editor', 'localEditor', 'assignee', 'contact', 'reporter'],
    ],
    ['hours', () => ({ work_time: 1 }), []],
    ['the deadline', () => ({ deadline: '2027-01-01' }), []],
    ['a comment', () => ({ comment: 'Well.' }), EVERYBODY],
    [
      'what is so already',
      () => ({ priority: '--', assigned_to: people.assignee.login }),
      EVERYBODY,
    ],
  ]

  test.each(bodies)('%s', async (_, body, allowed) => {
    for (const name of EVERYBODY) {
      const answer = await put(people[name], `/rest/bug/${await fileOne()}`, body())
      expect([name, answer.body.code ?? answer.status]).toEqual([
        name,
        allowed.includes(name) ? 200 : 115,
      ])
    }
  })

  test.each<[string, string, Name[]]>([
    ['UNCONFIRMED', 'CONFIRMED', ['editor', 'localEditor', 'confirmer']],
    ['CONFIRMED', 'IN_PROGRESS', ['editor', 'localEditor', 'assignee', 'contact']],
    ['CONFIRMED', 'RESOLVED', ['editor', 'localEditor', 'assignee', 'contact', 'reporter']],
  ])('a status, from %s to %s', async (from, to, allowed) => {
    for (const name of EVERYBODY) {
      const bug = await fileOne()
      if (from === 'CONFIRMED') {
        await changeBug(people.editor, bug, { status: from })
      }
      const body = { status: to, resolution: 'FIXED' }
      const answer = await put(people[name], `/rest/bug/${bug}`, body)
      expect([name, answer.body.code ?? answer.status]).toEqual([
        name,
        allowed.includes(name) ? 200 : 123,
      ])
    }
  })

  test('who is replaced in the same request still had it', async () => {
    const bug = await fileOne()
    expect(
      Object.keys(
        await changeBug(people.assignee, bug, {
          assigned_to: people.stranger.login,
          target_milestone: 'M1',
          status: 'RESOLVED',
          resolution: 'INVALID',
        }),
      ).sort(),
    ).toEqual(['assigned_to', 'resolution', 'status', 'target_milestone'])
    await expectRefusal(
      () => put(people.assignee, `/rest/bug/${bug}`, { target_milestone: '---' }),
      401,
      115,
      'target_milestone',
    )
  })

  test('a comment may be demanded for a move', async () => {
    const edge = sql`from_id = (SELECT id FROM field_values WHERE name = 'UNCONFIRMED')
      AND to_id = (SELECT id FROM field_values WHERE name = 'IN_PROGRESS')`
    await execute(sql`UPDATE status_transitions SET comment_required = 1 WHERE ${edge}`)
    try {
      const bug = await fileOne()
      const start = { status: 'IN_PROGRESS' }
      await expectRefusal(() => put(people.editor, `/rest/bug/${bug}`, start), 400, 32000)
      expect(await changeBug(people.editor, bug, { ...start, comment: 'Mine.' })).toHaveProperty(
        'status',
      )
    } finally {
      await execute(sql`UPDATE status_transitions SET comment_required = 0 WHERE ${edge}`)
    }
  })

  test('nothing becomes unconfirmed in a product without such bugs', async () => {
    const home = await insertProduct({ hasUnconfirmed: false })
    const bug = await postBug(people.reporter, home, buildBugBody(home))
    await expectRefusal(
      () => put(people.editor, `/rest/bug/${bug}`, { status: 'UNCONFIRMED' }),
      400,
      123,
    )
  })
})
