import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { execute } from '../../../support/database/execute.ts'

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
    sql`INSERT INTO milestones (product_id, name, name_fold, is_active)
      VALUES (${place.id}, 'M1', 'm1', 1)`,
  )
})

const fileBug = (more: object = {}) => postBug(people.reporter, place, { ...more })

/** A closed bug that no case below changes. */
let closed: number

beforeAll(async () => {
  closed = await postBug(people.editor, place, { status: 'RESOLVED', resolution: 'FIXED' })
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

describe('the right to change a bug', () => {
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
      'the duplicate',
      () => ({ dupe_of: closed }),
      ['editor', 'localEditor', 'assignee', 'contact', 'reporter'],
    ],
    ['hours', () => ({ work_time: 1 }), []],
    ['the deadline', () => ({ deadline: '2027-01-01' }), []],
    ['a comment', () => ({ comment: 'Well.' }), EVERYBODY],
    [
      'fields that keep their values',
      () => ({ priority: '--', assigned_to: people.assignee.login }),
      EVERYBODY,
    ],
  ]

  test.each(bodies)('extends to %s for the right people alone', async (_, body, allowed) => {
    for (const name of EVERYBODY) {
      const answer = await put(people[name], `/rest/bug/${await fileBug()}`, body())
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
  ])('extends to a move from %s to %s for the right people alone', async (from, to, allowed) => {
    for (const name of EVERYBODY) {
      const bug = await fileBug()
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

  test('is that from before the request for an assignee who is replaced in it', async () => {
    const bug = await fileBug()
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
      115,
      'target_milestone',
    )
  })

  test('demands a comment for a move where the workflow requires one', async () => {
    const edge = sql`from_id = (SELECT id FROM field_values WHERE name = 'UNCONFIRMED')
      AND to_id = (SELECT id FROM field_values WHERE name = 'IN_PROGRESS')`
    await execute(sql`UPDATE status_transitions SET comment_required = 1 WHERE ${edge}`)
    try {
      const bug = await fileBug()
      const start = { status: 'IN_PROGRESS' }
      await expectRefusal(() => put(people.editor, `/rest/bug/${bug}`, start), 32000)
      expect(await changeBug(people.editor, bug, { ...start, comment: 'Mine.' })).toHaveProperty(
        'status',
      )
    } finally {
      await execute(sql`UPDATE status_transitions SET comment_required = 0 WHERE ${edge}`)
    }
  })

  test('excludes UNCONFIRMED in a product without unconfirmed bugs', async () => {
    const home = await insertProduct({ hasUnconfirmed: false })
    const bug = await postBug(people.reporter, home, buildBugBody(home))
    await expectRefusal(
      () => put(people.editor, `/rest/bug/${bug}`, { status: 'UNCONFIRMED' }),
      123,
    )
  })
})
