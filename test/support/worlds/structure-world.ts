import { sql } from 'drizzle-orm'
import { insertGroup } from '../builders/groups.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct } from '../builders/products.ts'
import type { TestPerson } from '../builders/types.ts'
import { NOW, uniqueName } from '../builders/unique.ts'
import { insertWebhook } from '../builders/webhooks.ts'
import { post, put } from '../client.ts'
import { execute } from '../database/execute.ts'

/** People whose requests are refused. */
export type StructureSenders = {
  /** Without credentials. */
  readonly anyone: { readonly key?: string }
  /** Signed in, without any right. */
  readonly outsider: TestPerson
  /** Edits users, and hands out the membership of no group. */
  readonly editor: TestPerson
  /** Changes the structure of one product alone. */
  readonly keeper: TestPerson
  readonly admin: TestPerson
}

/** A world in which everything exists that the refused requests name, except `NoSuch`. */
export async function buildStructureWorld(): Promise<{
  senders: StructureSenders
  names: Readonly<Record<string, string>>
}> {
  const admin = await insertPerson({ roles: ['admin'] })
  const keeper = await insertPerson()
  const keepers = await insertGroup([keeper])
  const editor = await insertPerson({ roles: ['editusers'] })
  const controls = [{ group: keepers, editComponents: true }]
  const [place, other] = [await insertProduct({ controls }), await insertProduct()]
  const secret = await insertProduct({
    controls: [{ group: await insertGroup(), entry: true, memberControl: 3, otherControl: 3 }],
  })
  const spaced = uniqueName('two words')
  const names = {
    /** A name of everything, and how else it may be written in JSON. */
    ...{ spaced, tabbed: spaced.toUpperCase().replace(' ', '\\u0009') },
    product: place.name,
    other: other.name,
    secret: secret.name,
    secretId: String(secret.id),
    component: place.component,
    group: keepers.name,
    login: editor.login,
    list: `cf_${uniqueName('l')}`.toLowerCase(),
    words: `cf_${uniqueName('w')}`.toLowerCase(),
    ...{
      keyword: uniqueName('keyword'),
      flag: uniqueName('flag'),
      classification: uniqueName('Class'),
    },
    ...{ disabled: `${uniqueName('d')}@example.test`, renewing: `${uniqueName('r')}@example.test` },
    ...{ password: 'correct horse', long: 'x'.repeat(65) },
  }
  await Promise.all([
    post(admin, '/rest/field/bug', { name: names.list, type: 2, values: ['one', 'two'] }),
    post(admin, '/rest/field/bug', { name: names.words, type: 1 }),
    post(admin, '/rest/keyword', { name: names.keyword, description: 'There' }),
    post(admin, '/rest/classification', { name: names.classification }),
    post(admin, '/rest/flag_type', {
      ...{ name: names.flag, description: 'There' },
      inclusions: [other.name],
    }),
    post(admin, `/rest/product/${place.name}/milestone`, { name: 'taken' }),
    post(admin, `/rest/product/${place.name}/milestone`, { name: 'two words' }),
    post(admin, `/rest/product/${place.name}/version`, { name: spaced }),
    post(admin, '/rest/component', {
      ...{ product: place.name, name: spaced, description: 'There' },
      ...{ default_assignee: editor.login, team_name: 'Theirs' },
    }),
    post(admin, '/rest/classification', { name: spaced }),
    post(admin, '/rest/group', { name: spaced, description: 'There' }),
    post(admin, `/rest/product`, {
      ...{ name: spaced, description: 'There', classification: 'Unclassified' },
    }),
  ])
  for (const login of [names.disabled, names.renewing]) {
    await post(admin, '/rest/user', { email: login, password: names.password })
  }
  await put(admin, `/rest/user/${names.disabled}`, { login_denied_text: 'gone' })
  await put(admin, `/rest/user/${names.renewing}`, { password_change_required: true })
  const outsider = await insertPerson()
  const saved = await post(outsider, '/rest/saved_search', { name: 'Mine', query: 'id=1' })
  await post(outsider, '/rest/saved_search', { name: 'Other', query: 'id=1' })
  const hidden = await post(keeper, '/rest/saved_search', {
    ...{ name: 'Hidden', query: 'id=1', shared_with: names.group },
  })
  const searches = {
    ...{ search: String(saved.body.id), hiddenSearch: String(hidden.body.id) },
    keeperId: String(keeper.id),
  }
  const webhooks = await insertWebhooks(outsider, keeper)
  return {
    senders: { anyone: {}, outsider, editor, keeper, admin },
    names: { ...names, ...searches, ...webhooks },
  }
}

/** Webhooks `Mine`, `Other` and, disabled, `Off` of one person, and one of another, with old deliveries. */
async function insertWebhooks(outsider: TestPerson, keeper: TestPerson) {
  const target = { url: 'https://hooks.example.com/' }
  const mine = await insertWebhook(outsider, target, { name: 'Mine' })
  await insertWebhook(outsider, target, { name: 'Other' })
  const off = await insertWebhook(outsider, target, { name: 'Off', isEnabled: false })
  const hidden = await insertWebhook(keeper, target, { name: 'Hidden' })
  const [oldDelivery, offDelivery, hiddenDelivery] = await Promise.all(
    [mine, off, hidden].map(async ({ id }) => {
      const [row] = await execute(sql`INSERT INTO webhook_deliveries
          (webhook_id, event, notice_id, created_at, next_attempt_at, done_at)
        VALUES (${id}, 'create', 999999999, ${NOW}, ${NOW}, ${NOW}) RETURNING id`)
      return String(row?.id)
    }),
  )
  return {
    ...{ webhook: String(mine.id), hiddenWebhook: String(hidden.id) },
    ...{ oldDelivery, offDelivery, hiddenDelivery },
  } as Record<string, string>
}
