import { fold } from '../../../src/platform/lib/text.ts'
import { showProgress } from '../progress.ts'
import type { Notes } from '../source/notes.ts'
import type { SourceBug, SourcePerson, SourceStructure } from '../source/shapes.ts'
import { type Members, readIds, readList, readMembers, readText } from './read.ts'
import { readField, readGroup, readProduct, readUser } from './read-structure.ts'
import { Refusal, type RestSource } from './rest.ts'

/** People of one request. */
const BATCH = 50

/** Everything that the source describes besides bugs. What it refuses is noted. */
export async function fetchStructure(
  rest: RestSource,
  notes: Notes | null,
): Promise<Omit<SourceStructure, 'people'>> {
  const { fields } = await rest.get('field/bug')
  const described = readList(fields).flatMap(readField)
  const keywords = readList(fields)
    .map(readMembers)
    .filter(({ name }) => name === 'keywords')
    .flatMap(({ values }) => readList(values).map(readMembers))
  const products = (await fetchProducts(rest)).flatMap(readProduct)
  showProgress('products', products.length, products.length)
  const groups = await orNote(notes, 'groups', () => rest.get('group'))
  return {
    products,
    fields: described.filter(({ name }) => name !== 'keywords'),
    keywords: keywords.map(({ name, description }) => ({
      ...{ name: readText(name), description: readText(description) },
    })),
    groups: readList(groups?.groups).flatMap(readGroup),
    classifications: await fetchClassifications(rest, products),
    defaults: await fetchDefaults(rest),
  }
}

const DEFAULTS = {
  ...{ priority: 'defaultpriority', bug_severity: 'defaultseverity' },
  ...{ rep_platform: 'defaultplatform', op_sys: 'defaultopsys' },
}

/** Some servers tell the values of new bugs to those who are logged in. */
async function fetchDefaults(rest: RestSource): Promise<SourceStructure['defaults']> {
  const answer = await orNote(null, 'parameters', () => rest.get('parameters'))
  const parameters = readMembers(answer?.parameters)
  return Object.fromEntries(
    Object.entries(DEFAULTS).flatMap(([field, name]) => {
      const value = readText(parameters[name])
      return value === '' ? [] : [[field, value]]
    }),
  )
}

/** Older servers take no `type`. */
async function fetchProducts(rest: RestSource): Promise<readonly unknown[]> {
  try {
    const query = new URLSearchParams({ type: 'accessible' })
    const products = readList((await rest.get('product', query)).products)
    if (products.length > 0) {
      return products
    }
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error
    }
  }
  const { ids } = await rest.get('product_accessible')
  const products: unknown[] = []
  const all = readIds(ids)
  for (let n = 0; n < all.length; n += BATCH) {
    const some = all.slice(n, n + BATCH).map((id) => ['ids', String(id)])
    products.push(...readList((await rest.get('product', new URLSearchParams(some))).products))
  }
  return products
}

async function fetchClassifications(
  rest: RestSource,
  products: SourceStructure['products'],
): Promise<SourceStructure['classifications']> {
  const names = new Set(products.flatMap(({ classification }) => classification || []))
  const found: { name: string; description: string }[] = []
  for (const name of names) {
    // servers with one classification have no such operation
    const answer = await orNote(null, name, () =>
      rest.get(`classification/${encodeURIComponent(name)}`),
    )
    const [own] = readList(answer?.classifications).map(readMembers)
    found.push({ name, description: readText(own?.description) })
  }
  return found
}

/** The people that bugs name, with what the source tells of them; the rest stay placeholders. */
export async function fetchPeople(
  rest: RestSource,
  bugs: AsyncIterable<SourceBug>,
  notes: Notes | null,
): Promise<SourcePerson[]> {
  const logins = new Map<string, string>()
  for await (const bug of bugs) {
    const named = [
      ...[bug.assigned_to, bug.creator, bug.qa_contact ?? '', ...bug.cc],
      ...bug.comments.map(({ creator }) => creator),
      ...bug.history.map(({ who }) => who),
      ...bug.attachments.map(({ creator }) => creator),
    ]
    for (const login of named) {
      logins.set(fold(login), login)
    }
  }
  logins.delete('')
  const all = [...logins.values()]
  const people: SourcePerson[] = []
  for (let n = 0; n < all.length; n += BATCH) {
    const query = new URLSearchParams(
      all.slice(n, n + BATCH).map((login) => ['names', login] as [string, string]),
    )
    query.set('permissive', '1')
    const answer = await orNote(notes, 'people', () => rest.get('user', query))
    if (answer === null) {
      break
    }
    people.push(...readList(answer.users).flatMap(readUser))
    showProgress('people', Math.min(n + BATCH, all.length), all.length)
  }
  return people
}

async function orNote(
  notes: Notes | null,
  what: string,
  ask: () => Promise<Members>,
): Promise<Members | null> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error
    }
    notes?.add(`the source refuses ${what}: ${error.message} (${error.code})`)
    return null
  }
}
