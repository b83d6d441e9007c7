import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createVisitor, expectSuccess, type Reply } from '../support/clients/visitor.ts'
import { LOGINS, setUpTeam, type Team } from '../support/worlds/team.ts'
import { expectViews, pickNames, readAsEverybody } from '../support/worlds/team-views.ts'
import { type RunningServer, startServer } from './running-server.ts'

/**
 * A lamp maker sets its tracker up, from an empty database and by HTTP alone; then four people read
 * everything: an anonymous reader, a customer, a colleague, the administrator.
 */

const ADMIN = 'root@lantern.tracker.example'
const KEY = 'lwAdministratorOfTheLampMakers0000000000'

let server: RunningServer
let team: Team
let before: { products: unknown; people: unknown; keywords: unknown; audit: unknown }

beforeAll(async () => {
  server = await startServer({ ADMIN_LOGIN: ADMIN, ADMIN_API_KEY: KEY })
  const admin = createVisitor(server.url, KEY)
  before = {
    products: await expectSuccess(admin.get('/product?include_fields=name')),
    people: await expectSuccess(admin.get('/user?match=*&include_fields=name')),
    keywords: await expectSuccess(admin.get('/keyword')),
    audit: await expectSuccess(admin.get('/last_audit_time')),
  }
  team = await setUpTeam(server.url, KEY)
})
afterAll(() => server?.stop())

const readViews = (path: string, pick: (body: Reply['body']) => unknown) =>
  readAsEverybody(team, path, pick)

describe('a new tracker', () => {
  test('is empty except for its administrator and a product to try', () => {
    expect(before).toEqual({
      products: { products: [{ name: 'TestProduct' }] },
      people: { users: [{ name: ADMIN }] },
      keywords: { keywords: [] },
      audit: { last_audit_time: null },
    })
  })
})

describe('the products of a team', () => {
  test.each(['selectable', 'enterable', 'accessible'])(
    'are %s to the right people',
    async (list) => {
      const { lamp, prism } = team.ids
      expect(await readViews(`/product_${list}`, ({ ids }) => ids)).toEqual(
        expectViews([lamp, 1], [lamp, prism, 1]),
      )
      expect(
        await readViews(`/product?type=${list}`, ({ products }) => pickNames(products)),
      ).toEqual(expectViews(['Lamp', 'TestProduct'], ['Lamp', 'Prism', 'TestProduct']))
    },
  )

  test('are returned completely to members and not at all to others', async () => {
    const prism = {
      id: team.ids.prism,
      name: 'Prism',
      description: 'About Prism',
      is_active: true,
      default_bug_type: 'defect',
      default_milestone: '---',
      default_version: 'unspecified',
      has_unconfirmed: true,
      classification: 'Confidential',
      components: [
        {
          id: expect.any(Number),
          name: 'Cutting',
          description: 'How glass is cut',
          default_assigned_to: LOGINS.lead,
          default_qa_contact: LOGINS.member,
          triage_owner: '',
          sort_key: 0,
          is_active: true,
          default_bug_type: 'defect',
          team_name: 'Glass',
          flag_types: {
            bug: [
              {
                id: expect.any(Number),
                name: 'cut-review',
                description: 'Is the cut right?',
                cc_list: '',
                sort_key: 1,
                is_active: true,
                is_requestable: true,
                is_requesteeble: true,
                is_multiplicable: true,
                grant_group: team.ids.leads,
                request_group: team.ids.makers,
              },
              expect.objectContaining({ name: 'needinfo', sort_key: 1, is_active: true }),
            ],
            attachment: [expect.objectContaining({ name: 'review', is_requesteeble: true })],
          },
        },
      ],
      versions: ['facet 2', 'facet 10', 'unspecified'].map(part),
      milestones: [part('---'), { ...part('Dawn'), sort_key: 5 }],
    }
    for (const path of ['/product/Prism', `/product/${team.ids.prism}`, '/product?names=prism']) {
      expect(await readViews(path, ({ products }) => products)).toEqual(expectViews([], [prism]))
    }
  })

  test('are returned to everybody in their order when they are public', async () => {
    const fields = 'include_fields=name,default_version,components.name,versions,milestones.name'
    const lamp = {
      name: 'Lamp',
      default_version: '10.0',
      components: [{ name: 'Shade' }, { name: 'Wick' }],
      versions: [{ ...part('1.0'), is_active: false }, ...['2.0', '10.0', 'unspecified'].map(part)],
      milestones: [{ name: 'Autumn' }, { name: 'Winter' }],
    }
    expect(await readViews(`/product/Lamp?${fields}`, ({ products }) => products)).toEqual(
      expectViews([lamp], [lamp]),
    )
  })

  test('are listed in their classifications', async () => {
    const pick = ({ classifications }: Reply['body']) =>
      classifications.map(({ name, products }: { name: string; products: [] }) => [
        name,
        ...pickNames(products),
      ])
    const open = [
      ['Unclassified', 'TestProduct'],
      ['Lighting', 'Lamp'],
    ]
    expect(await readViews('/classification', pick)).toEqual(
      expectViews(open, [...open, ['Confidential', 'Prism']]),
    )
    expect(await readViews('/classification/Confidential', pick)).toEqual(
      expectViews(51, [['Confidential', 'Prism']]),
    )
  })

  test('have group controls that only administrators read', async () => {
    expect(await readViews('/product/Prism/group_control', (body) => body.group_controls)).toEqual({
      ...{ anyone: 410, stranger: 304, member: 304 },
      admin: [
        control({ group: 'leads', membercontrol: 'SHOWN', editcomponents: true }),
        control({
          group: 'prism-makers',
          entry: true,
          canedit: true,
          membercontrol: 'MANDATORY',
          othercontrol: 'MANDATORY',
        }),
      ],
    })
  })
})

describe('the parts of a product', () => {
  test.each(['/component/Prism/Cutting', '/component?product=Prism&component=Cutting'])(
    'are returned at %s to members',
    async (path) => {
      expect(await readViews(path, (body) => body)).toEqual(
        expectViews(106, {
          id: expect.any(Number),
          name: 'Cutting',
          description: 'How glass is cut',
          is_active: true,
          default_bug_type: 'defect',
          default_assignee: LOGINS.lead,
          default_qa_contact: LOGINS.member,
          triage_owner: '',
          team_name: 'Glass',
          bug_description_template: 'Which facet?',
        }),
      )
    },
  )

  test('include flag types with the statuses that each caller may set', async () => {
    const pick = ({ bug, attachment }: Reply['body']) =>
      [...bug, ...attachment].map(({ name, values }) => `${name} ${values.join('')}`)
    const ofLamp = (values: string) =>
      ['needinfo', 'review', 'approval'].map((name) => `${name} ${values}`)
    expect(await readViews('/flag_type/Prism', pick)).toEqual({
      ...{ anyone: 106, stranger: 106 },
      member: ['cut-review X?', 'needinfo X?+-', 'review X?+-'],
      admin: ['cut-review X?+-', 'needinfo X?+-', 'review X?+-'],
    })
    expect(await readViews('/flag_types/Lamp', pick)).toEqual({
      ...expectViews(ofLamp('X?+-'), ofLamp('X?+-')),
      anyone: ofLamp('X'),
    })
    const everywhere = ['needinfo X?+-', 'review X?+-']
    expect(await readViews('/flag_type/Lamp/Wick', pick)).toEqual({
      ...expectViews(everywhere, everywhere),
      anyone: ['needinfo X', 'review X'],
    })
  })

  test.each([
    ['version', ['1.0', '2.0', '10.0', 'unspecified'], ['facet 2', 'facet 10', 'unspecified']],
    ['component', ['Shade', 'Wick'], ['Cutting']],
    ['target_milestone', ['Autumn', 'Winter'], ['---', 'Dawn']],
  ])('include the legal values of %s', async (field, ofLamp, ofPrism) => {
    const { lamp, prism } = team.ids
    const values = (body: Reply['body']) => body.values
    expect(await readViews(`/field/bug/${field}/${lamp}/values`, values)).toEqual(
      expectViews(ofLamp, ofLamp),
    )
    expect(await readViews(`/field/bug/${field}/${prism}/values`, values)).toEqual(
      expectViews(106, ofPrism),
    )
    expect(await readViews(`/field/bug/${field}/values`, values)).toEqual(expectViews(106, 106))
    expect(
      await readViews(`/field/bug/${field}`, ({ fields: [{ value_field, values: all }] }) => [
        value_field,
        ...all
          .filter(
            (value: { visibility_values: string[] }) => value.visibility_values[0] === 'Prism',
          )
          .map(({ name }: { name: string }) => name),
      ]),
    ).toEqual(expectViews(['product'], ['product', ...ofPrism]))
  })
})

describe('the fields of a bug', () => {
  test('have values that depend on another field', async () => {
    const pick = ({ fields: [field] }: Reply['body']) => ({
      shown: [field.visibility_field, ...field.visibility_values],
      values: field.values.map((value: { name: string; visibility_values: string[] }) =>
        [value.name, ...value.visibility_values].join(' in '),
      ),
    })
    const model = {
      shown: ['cf_line', 'Indoor', 'Outdoor'],
      values: ['---', 'Bedside in Indoor', 'Beacon in Outdoor', 'Any'],
    }
    expect(await readViews('/field/bug/cf_model', pick)).toEqual(expectViews(model, model))
    expect(await readViews('/field/bug/cf_glass', pick)).toEqual(
      expectViews(
        { shown: [null], values: ['Frosted in Lamp'] },
        { shown: [null], values: ['Crystal in Prism', 'Frosted in Lamp in Prism'] },
      ),
    )
    expect(await readViews('/field/bug/cf_glass/values', ({ values }) => values)).toEqual(
      expectViews(['Frosted'], ['Crystal', 'Frosted']),
    )
    expect(await readViews('/field/bug/cf_line/values', ({ values }) => values)).toEqual(
      expectViews(['---', 'Outdoor', 'Indoor'], ['---', 'Outdoor', 'Indoor']),
    )
  })

  test('have the changed workflow', async () => {
    const pick = ({ fields: [{ values }] }: Reply['body']) =>
      Object.fromEntries(
        values.map(({ name, can_change_to }: { name: string; can_change_to: [] }) => [
          name,
          pickNames(can_change_to),
        ]),
      )
    const workflow = expect.objectContaining({
      CONFIRMED: ['DISMANTLED', 'RESOLVED'],
      DISMANTLED: ['IN_PROGRESS', 'RESOLVED'],
    })
    expect(await readViews('/field/bug/status', pick)).toEqual(expectViews(workflow, workflow))
    const values = ['UNCONFIRMED', 'CONFIRMED', 'DISMANTLED', 'IN_PROGRESS', 'RESOLVED', 'VERIFIED']
    expect(await readViews('/field/bug/bug_status/values', (body) => body.values)).toEqual(
      expectViews(values, values),
    )
  })

  test('have keywords that count the bugs that each caller may see', async () => {
    const pick = ({ keywords }: Reply['body']) =>
      keywords.map(({ name, bug_count }: { name: string; bug_count: number }) => [name, bug_count])
    expect(await readViews('/keyword', pick)).toEqual(
      expectViews(
        [
          ['candle', 0],
          ['optics', 0],
        ],
        [
          ['candle', 0],
          ['optics', 1],
        ],
      ),
    )
    expect(
      await readViews('/field/bug/keywords', ({ fields: [{ values }] }) => pickNames(values)),
    ).toEqual(expectViews(['optics'], ['optics']))
  })
})

/** A version or milestone. */
function part(name: string) {
  return { id: expect.any(Number), name, sort_key: 0, is_active: true }
}

function control(set: Record<string, unknown>) {
  const [membercontrol, othercontrol] = ['NA', 'NA']
  const off = { entry: false, canedit: false, editcomponents: false, editbugs: false }
  return { ...off, canconfirm: false, membercontrol, othercontrol, ...set }
}
