import { createVisitor, expectSuccess, type Visitor } from '../clients/visitor.ts'

/** Everything that names the private product, so that a stranger's answers can be searched for it. */
export const PRIVATE = {
  product: 'Prism',
  classification: 'Confidential',
  component: 'Cutting',
  version: 'facet 10',
  milestone: 'Dawn',
  group: 'prism-makers',
  flagType: 'cut-review',
  value: 'Crystal',
  summary: 'The blue light escapes',
} as const

export type Team = {
  /** An anonymous reader, a customer, a colleague, their lead, and the first administrator. */
  readonly anyone: Visitor
  readonly stranger: Visitor
  readonly member: Visitor
  readonly lead: Visitor
  readonly admin: Visitor
  /** Somebody who edits the structure of products but knows nothing of the private one. */
  readonly builder: Visitor
  readonly ids: {
    readonly lamp: number
    readonly prism: number
    readonly member: number
    readonly stranger: number
    readonly leads: number
    readonly makers: number
    readonly bug: number
  }
}

export const LOGINS = {
  stranger: 'sam@elsewhere.example',
  member: 'mara@lantern.example',
  lead: 'otto@lantern.example',
  builder: 'edda@elsewhere.example',
} as const

/** Sets up the people, groups, products and fields of a small lamp maker, over HTTP alone. */
export async function setUpTeam(url: string, adminKey: string): Promise<Team> {
  const admin = createVisitor(url, adminKey)
  const groups = await makeGroups(admin)
  const people = await makePeople(url, admin)
  await letGroupsIn(admin)
  const products = await makeProducts(admin)
  await fillPrism(people.lead)
  await fillLamp(people.builder)
  await makeFlagTypes(admin)
  await makeTerms(admin)
  await makeFields(admin)
  await changeWorkflow(admin)
  const { id: bug } = await expectSuccess(
    people.member.post('/bug', {
      product: PRIVATE.product,
      component: PRIVATE.component,
      version: PRIVATE.version,
      summary: PRIVATE.summary,
      description: 'Whenever the sun is low.',
      keywords: ['optics'],
      type: 'defect',
    }),
  )
  return {
    anyone: createVisitor(url),
    admin,
    ...people,
    ids: { ...people.ids, ...products, ...groups, bug },
  }
}

/** Makers by inheritance, staff by the pattern of their logins, leads by hand. */
async function makeGroups(admin: Visitor) {
  await expectSuccess(
    admin.post('/group', {
      name: 'staff',
      description: 'Everybody at Lantern',
      user_regexp: '@lantern\\.example$',
    }),
  )
  const { id: leads } = await expectSuccess(
    admin.post('/group', { name: 'leads', description: 'Who leads a team' }),
  )
  const { id: makers } = await expectSuccess(
    admin.post('/group', { name: PRIVATE.group, description: 'Who knows of the new lamp' }),
  )
  return { leads: leads as number, makers: makers as number }
}

async function makePeople(url: string, admin: Visitor) {
  const arrive = async (login: string, full_name: string) => {
    const { id } = await expectSuccess(admin.post('/user', { email: login, full_name }))
    const { api_key: key } = await expectSuccess(
      admin.post('/api_key', { description: 'for the story', user: login }),
    )
    return { id: id as number, visits: createVisitor(url, key) }
  }
  const stranger = await arrive(LOGINS.stranger, 'Sam Customer')
  const member = await arrive(LOGINS.member, 'Mara Lindqvist [:mara]')
  const lead = await arrive(LOGINS.lead, 'Otto Lehmann')
  const builder = await arrive(LOGINS.builder, 'Edda Holm')
  await expectSuccess(
    admin.put(`/user/${LOGINS.lead}`, {
      groups: { add: ['leads', 'editusers'] },
      bless_groups: { add: ['staff'] },
    }),
  )
  await expectSuccess(admin.put(`/user/${LOGINS.builder}`, { groups: { set: ['editcomponents'] } }))
  return {
    stranger: stranger.visits,
    member: member.visits,
    lead: lead.visits,
    builder: builder.visits,
    ids: { stranger: stranger.id, member: member.id },
  }
}

/** Staff and leads are makers; leads hand out the membership of makers. */
async function letGroupsIn(admin: Visitor): Promise<void> {
  await expectSuccess(
    admin.put(`/group/${PRIVATE.group}/grants`, {
      members_from: { add: ['staff', 'leads'] },
      bless_from: { add: ['leads'] },
    }),
  )
}

async function makeProducts(admin: Visitor) {
  const put = (product: string, classification: string, more = {}) =>
    expectSuccess(
      admin.post('/product', {
        name: product,
        description: `About ${product}`,
        classification,
        ...more,
      }),
    )
  await expectSuccess(admin.post('/classification', { name: 'Lighting', sort_key: 1 }))
  await expectSuccess(admin.post('/classification', { name: PRIVATE.classification, sort_key: 2 }))
  const { id: lamp } = await put('Lamp', 'Lighting', { default_milestone: 'Autumn' })
  const { id: prism } = await put(PRIVATE.product, PRIVATE.classification)
  await expectSuccess(
    admin.put(`/product/${PRIVATE.product}/group_control/${PRIVATE.group}`, {
      entry: true,
      canedit: true,
      membercontrol: 'MANDATORY',
      othercontrol: 'MANDATORY',
    }),
  )
  await expectSuccess(
    admin.put(`/product/${prism}/group_control/leads`, {
      editcomponents: true,
      membercontrol: 'SHOWN',
    }),
  )
  return { lamp: lamp as number, prism: prism as number }
}

/** By the right that the lead has in this product alone. */
async function fillPrism(lead: Visitor): Promise<void> {
  const { product, component, version, milestone } = PRIVATE
  await expectSuccess(
    lead.post(`/component/${product}`, {
      name: component,
      description: 'How glass is cut',
      default_assignee: LOGINS.lead,
      default_qa_contact: LOGINS.member,
      team_name: 'Glass',
      bug_description_template: 'Which facet?',
    }),
  )
  await expectSuccess(lead.post(`/product/${product}/version`, { name: version }))
  await expectSuccess(lead.post(`/product/${product}/version`, { name: 'facet 2' }))
  await expectSuccess(lead.post(`/product/${product}/milestone`, { name: milestone, sort_key: 5 }))
}

/** By somebody who edits the structure of all products. */
async function fillLamp(builder: Visitor): Promise<void> {
  for (const [name, sort_key] of [
    ['Wick', 2],
    ['Shade', 1],
  ]) {
    await expectSuccess(
      builder.post('/component', {
        product: 'Lamp',
        name,
        sort_key,
        description: `The ${name}`,
        default_assignee: LOGINS.member,
        team_name: 'Light',
      }),
    )
  }
  for (const name of ['2.0', '10.0', '1.0']) {
    await expectSuccess(builder.post('/product/Lamp/version', { name }))
  }
  await expectSuccess(builder.put('/product/Lamp/version/1.0', { is_active: false }))
  await expectSuccess(builder.post('/product/Lamp/milestone', { name: 'Winter', sort_key: 10 }))
  await expectSuccess(builder.put('/product/Lamp', { default_version: '10.0' }))
}

async function makeFlagTypes(admin: Visitor): Promise<void> {
  const { product, component, flagType } = PRIVATE
  await expectSuccess(
    admin.post('/flag_type', {
      name: flagType,
      description: 'Is the cut right?',
      inclusions: [{ [product]: [component] }],
      grant_group: 'leads',
      request_group: PRIVATE.group,
    }),
  )
  await expectSuccess(
    admin.post('/flag_type', {
      name: 'approval',
      description: 'May it ship?',
      target_type: 'attachment',
      inclusions: ['Lamp'],
      exclusions: [{ Lamp: ['Wick'] }],
      is_multiplicable: false,
      sortkey: 3,
    }),
  )
}

async function makeTerms(admin: Visitor): Promise<void> {
  await expectSuccess(admin.post('/keyword', { name: 'optics', description: 'About light' }))
  await expectSuccess(
    admin.post('/keyword', { name: 'candle', description: 'Of old lamps', is_active: false }),
  )
}

/** A list of values that another list decides about, and one that the product decides about. */
async function makeFields(admin: Visitor): Promise<void> {
  await expectSuccess(
    admin.post('/field/bug', {
      name: 'cf_line',
      display_name: 'Line',
      type: 2,
      is_on_bug_entry: true,
      values: ['Indoor', { name: 'Outdoor', sort_key: 50 }],
    }),
  )
  await expectSuccess(
    admin.post('/field/bug', {
      name: 'cf_model',
      display_name: 'Model',
      type: 2,
      value_field: 'cf_line',
      visibility_field: 'cf_line',
      visibility_values: ['Indoor', 'Outdoor'],
      values: [
        { name: 'Bedside', visibility_values: ['Indoor'] },
        { name: 'Beacon', visibility_values: ['Outdoor'] },
        'Any',
      ],
    }),
  )
  await expectSuccess(
    admin.post('/field/bug', {
      name: 'cf_glass',
      display_name: 'Glass',
      type: 3,
      value_field: 'product',
      values: [
        { name: PRIVATE.value, visibility_values: [PRIVATE.product] },
        { name: 'Frosted', visibility_values: ['Lamp', PRIVATE.product] },
      ],
    }),
  )
}

async function changeWorkflow(admin: Visitor): Promise<void> {
  await expectSuccess(
    admin.post('/field/bug/status/values', {
      name: 'DISMANTLED',
      sort_key: 250,
      is_open: true,
      can_change_to: ['IN_PROGRESS', { name: 'RESOLVED', comment_required: true }],
    }),
  )
  await expectSuccess(
    admin.put('/field/bug/status/values/CONFIRMED', {
      can_change_to: ['DISMANTLED', 'RESOLVED'],
    }),
  )
}
