import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import { FIELD_TYPE } from '../../src/db/schema/fields.ts'
import { ANYONE, get, post, send } from '../support/client.ts'
import { flagType } from '../support/flags.ts'
import { customField, manyBugs } from '../support/reading.ts'
import { budget, credentials, newAttachment, PASSWORD, type World } from '../support/trip-budget.ts'
import { discussionBudget } from '../support/trip-budget-discussion.ts'
import { group, newBug, person, product, unique } from '../support/world.ts'

async function makeWorld(): Promise<World> {
  const ann = await person({ password: PASSWORD })
  const editor = await person({ roles: ['editusers', 'editbugs', 'creategroups'] })
  const hand = await person({ roles: ['admin'] })
  const architect = await person({
    roles: ['editcomponents', 'editkeywords', 'editclassifications'],
  })
  const place = await product()
  const component = await get(ann, `/rest/component/${place.name}/${place.component}`)
  const { token } = (await get(ANYONE, `/rest/login?${credentials(ann)}`)).body
  const key = await post(ann, '/rest/api_key', { description: 'x' })
  const bug = (await post(ann, '/rest/bug', newBug(place, { description: 'It is.' }))).body.id
  const original = (await post(ann, '/rest/bug', newBug(place))).body.id
  const goal = await product()
  const { bugs } = (await get(ann, `/rest/bug/${bug}/comment`)).body
  const comment = bugs[bug].comments[0].id
  for (const kind of ['version', 'milestone']) {
    await post(architect, `/rest/product/${place.name}/${kind}`, { name: 'spare' })
  }
  const groups = { group: await group(), controlled: await group() }
  const classification = unique('Class')
  await post(architect, '/rest/classification', { name: classification })
  const keyword = unique('keyword')
  await post(architect, '/rest/keyword', { name: keyword, description: 'x' })
  const field = unique('cf_y').toLowerCase()
  await post(hand, '/rest/field/bug', { name: field, type: 2, values: ['a', 'spare'] })
  const made = await post(ann, `/rest/bug/${bug}/attachment`, newAttachment())
  const [attachment] = made.body.ids
  const ids = { keyId: key.body.id, componentId: component.body.id, bug, comment, attachment }
  const people = { ann, editor, hand, architect, spare: await person() }
  const { ids: crowd, place: crowded } = await manyBugs(editor, 101)
  const { name: flag } = await flagType(
    {},
    [place, goal, crowded].map(({ id }) => ({ productId: id })),
  )
  const { name: custom } = await customField(FIELD_TYPE.freeText)
  const word = unique('word')
  await post(architect, '/rest/keyword', { name: word, description: 'x' })
  const others = { crowd, custom, flag, word, original, goal }
  return { ...people, token, place, ...groups, keyword, field, classification, ...ids, ...others }
}

function written(path: string, { ann, place, ...world }: World): string {
  const values: Record<string, string> = {
    credentials: credentials(ann),
    login: encodeURIComponent(ann.login),
    product: encodeURIComponent(place.name),
    productId: String(place.id),
    component: encodeURIComponent(place.component),
    componentId: String(world.componentId),
    keyword: world.keyword,
    field: world.field,
    classification: world.classification,
    spare: String(world.spare.id),
    token: world.token,
    keyId: String(world.keyId),
    group: String(world.group.id),
    controlled: world.controlled.name,
    bug: String(world.bug),
    comment: String(world.comment),
    attachment: String(world.attachment),
    crowd: world.crowd.join(','),
  }
  return `/rest${path.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')}`
}

describe('an answer costs exactly its trips to D1:', () => {
  let world: World

  beforeAll(async () => {
    world = await makeWorld()
  })

  test.each(Object.entries({ ...budget, ...discussionBudget }))(
    '%s',
    async (name, [trips, by, path, body]) => {
      const sender = typeof by === 'string' ? world[by] : by
      const [method = ''] = name.split(' ')
      const answer = await send(sender, method, written(path, world), body?.(world))
      expect(answer.status, answer.text).toBeLessThan(300)
      expect(answer.cost.trips).toBe(trips)
    },
  )
})

test('every operation has a budget', () => {
  const named = new Set(Object.keys(budget).map((name) => /^\w+ [^ ,]+/.exec(name)?.[0]))
  const offered = operations.map(({ method, path }) => `${method} ${path}`)
  expect(offered.filter((operation) => !named.has(operation))).toEqual([])
})
