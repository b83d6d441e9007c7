import { post, put } from './client.ts'
import { group, person, product, type TestPerson, unique } from './world.ts'

/** People who ask for what they do not get. */
export type Askers = {
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

/** Names that requests use in braces: `{product}`. */
export type Names = Readonly<Record<string, string>>

/** A world in which everything that requests name exists, but what they call `NoSuch`. */
export async function refusedWorld(): Promise<{ askers: Askers; names: Names }> {
  const admin = await person({ roles: ['admin'] })
  const keeper = await person()
  const keepers = await group([keeper])
  const editor = await person({ roles: ['editusers'] })
  const controls = [{ group: keepers, editComponents: true }]
  const [place, other] = [await product({ controls }), await product()]
  const secret = await product({
    controls: [{ group: await group(), entry: true, memberControl: 3, otherControl: 3 }],
  })
  const spaced = unique('two words')
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
    list: `cf_${unique('l')}`.toLowerCase(),
    words: `cf_${unique('w')}`.toLowerCase(),
    ...{ keyword: unique('keyword'), flag: unique('flag'), classification: unique('Class') },
    ...{ disabled: `${unique('d')}@example.test`, renewing: `${unique('r')}@example.test` },
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
  const outsider = await person()
  return { askers: { anyone: {}, outsider, editor, keeper, admin }, names }
}
