/** Sends a request of one of the two people who fill a client world; throws for an error. */
type SendAs = (
  who: 'root' | 'ann',
  method: 'POST' | 'PUT' | 'GET',
  path: string,
  body?: unknown,
) => Promise<{ id: number }>

export type ClientWorld = {
  /** The letters of the bugs with these IDs, in alphabetical order; a question mark for a bug of another world. */
  nameBugs(ids: readonly number[]): string
  /** A text with the names of this world in place of those in braces. */
  fill(text: string): string
}

/**
 * Files, over the API alone, five bugs as the clients of the field search for them: `a` to `d` in one product, `e` in
 * another. `mark` makes names unique; `root` may administer; every bug with a value has that in all custom fields.
 */
export async function buildClientWorld(
  send: SendAs,
  people: { root: string; ann: string; bob: string },
  options: { mark: string; customFields: readonly string[] },
): Promise<ClientWorld> {
  const { mark, customFields } = options
  const names: Record<string, string> = {
    ...people,
    kitchen: `Kitchen ${mark}`,
    garden: `Garden ${mark}`,
    crash: `crash${mark}`,
    regression: `regression${mark}`,
    needinfo: `needinfo${mark}`,
    review: `review${mark}`,
    alias: `leak${mark}`,
    custom: customFields[0] ?? '',
  }
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (whole, name) => names[name] ?? whole)
  const root = (method: 'POST' | 'PUT', path: string, body: unknown) =>
    send('root', method, path, body)

  for (const name of ['kitchen', 'garden']) {
    await root('POST', '/rest/product', {
      name: names[name],
      description: 'For searches',
      classification: 'Unclassified',
      default_version: '1.0',
    })
    for (const component of ['Heat', 'Light']) {
      await root('POST', '/rest/component', {
        product: names[name],
        name: component,
        description: 'For searches',
        default_assignee: people.root,
        team_name: 'Kitchen',
      })
    }
  }
  await root('POST', `/rest/product/${encodeURIComponent(names.kitchen ?? '')}/milestone`, {
    name: 'M1',
  })
  await root('POST', `/rest/product/${encodeURIComponent(names.kitchen ?? '')}/version`, {
    name: '2.0',
  })
  for (const name of ['crash', 'regression']) {
    await root('POST', '/rest/keyword', { name: names[name], description: 'For searches' })
  }
  for (const name of ['needinfo', 'review']) {
    const body = {
      name: names[name],
      description: 'For searches',
      target_type: 'bug',
      is_requestable: true,
      is_requesteeble: true,
      inclusions: [names.kitchen, names.garden],
    }
    await root('POST', '/rest/flag_type', body)
  }
  for (const name of customFields) {
    await root('POST', '/rest/field/bug', { name, type: 1 })
  }
  const common = {
    product: names.kitchen,
    component: 'Heat',
    version: '1.0',
    op_sys: 'Linux',
    platform: 'PC',
  }
  const ids: Record<string, number> = {}
  const file = async (who: 'root' | 'ann', letter: string, body: Record<string, unknown>) => {
    const answer = await send(who, 'POST', '/rest/bug', { ...common, ...body })
    ids[letter] = answer.id
    names[letter] = String(answer.id)
  }
  const edit = (letter: string, body: unknown) => root('PUT', `/rest/bug/${ids[letter]}`, body)
  await file('ann', 'b', {
    summary: 'Toaster burns bread',
    description: 'Every day.',
    priority: 'P2',
    severity: 'S2',
  })
  await file('root', 'a', {
    summary: 'Kettle leaks water',
    description: 'It leaks since Monday, says foobar.',
    ...{
      priority: 'P1',
      severity: 'S1',
      status: 'CONFIRMED',
      target_milestone: 'M1',
      version: '2.0',
    },
    ...{
      alias: names.alias,
      url: 'https://kettle.example/leak?x=1',
      whiteboard: '[triage] wet floor',
    },
    ...{ assigned_to: people.ann, qa_contact: people.bob, cc: [people.bob] },
    keywords: [names.crash],
    depends_on: [ids.b],
    flags: [{ name: names.needinfo, status: '?', requestee: people.ann }],
  })
  await file('root', 'c', {
    summary: 'Kettle whistles',
    description: 'Too loud.',
    status: 'CONFIRMED',
    cc: [people.ann],
    ...Object.fromEntries(customFields.map((name) => [name, 'in 1.2'])),
  })
  await file('root', 'd', {
    summary: 'Lamp stays dark',
    description: 'No leaks here.',
    ...{ component: 'Light', op_sys: 'Windows', platform: 'Other', status: 'CONFIRMED' },
  })
  await file('root', 'e', {
    product: names.garden,
    summary: 'Kettle rusts',
    description: 'Outside.',
  })
  await edit('b', { status: 'IN_PROGRESS', keywords: { add: [names.crash, names.regression] } })
  await send('ann', 'POST', `/rest/bug/${ids.b}/comment`, { comment: 'The toast is black.' })
  await edit('c', {
    status: 'RESOLVED',
    resolution: 'FIXED',
    flags: [{ name: names.review, status: '+' }],
  })
  await edit('d', { tags: { add: ['todo'] } })
  return {
    fill,
    nameBugs: (found) =>
      found
        .map((id) => Object.keys(ids).find((letter) => ids[letter] === id) ?? '?')
        .sort()
        .join(''),
  }
}
