import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { postBug } from '../support/builders/bugs.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { ANYONE, type Sender, send } from '../support/client.ts'
import { execute } from '../support/database/execute.ts'

/** What one request names: everything there is of it is hidden from the readers, or there is none. */
type Names = Record<
  'product' | 'productId' | 'component' | 'componentId' | 'classification' | 'classificationId',
  string
> & { readonly bug: string }

const READERS = [
  'anyone',
  'insider',
  'editbugs',
  'editusers',
  'timetracking',
  'creategroups',
  'editkeywords',
] as const

/**
 * Every operation that takes a name or a number of what may be hidden. Bugs, their comments and attachments are
 * not among them: the compatible numbers 101 and 102, 110 and 111 tell hidden ones from missing ones.
 */
const REQUESTS: readonly (readonly [string, string, ((names: Names) => object)?])[] = [
  ['GET', '/product/{product}'],
  ['GET', '/product?names={product}'],
  ['GET', '/product?ids={productId}'],
  ['GET', '/component/{product}/{component}'],
  ['GET', '/component?product={product}&component={component}'],
  ['GET', '/classification/{classification}'],
  ['GET', '/classification/{classificationId}'],
  ['GET', '/classification?names={classification}'],
  ['GET', '/classification?ids={classificationId}'],
  ['GET', '/field/bug/version/{productId}/values'],
  ['GET', '/field/bug/component/{productId}/values'],
  ['GET', '/flag_type/{product}'],
  ['GET', '/flag_type/{product}/{component}'],
  ['GET', '/configuration?product={product}'],
  ['GET', '/product/{product}/group_control'],
  ['PUT', '/product/{product}', () => ({ description: 'x' })],
  ['PUT', '/component/{product}/{component}', () => ({ description: 'x' })],
  ['PUT', '/component/{componentId}', () => ({ description: 'x' })],
  ['POST', '/component/{product}', () => ({ name: 'x' })],
  ['POST', '/product/{product}/version', () => ({ name: 'x' })],
  ['PUT', '/product/{product}/version/unspecified', () => ({ name: 'x' })],
  ['DELETE', '/product/{product}/milestone/x'],
  ['PUT', '/classification/{classification}', () => ({ description: 'x' })],
  ['DELETE', '/classification/{classificationId}'],
  ['POST', '/flag_type', ({ product }) => ({ name: 'x', description: 'x', inclusions: [product] })],
  [
    'POST',
    '/bug',
    ({ product, component }) => ({ product, component, version: 'unspecified', summary: 'x' }),
  ],
  ['PUT', '/bug/{bug}', ({ product }) => ({ product })],
]

let hidden: Names
let missing: Names
const readers = new Map<string, Sender>()

beforeAll(async () => {
  for (const name of READERS) {
    readers.set(name, name === 'anyone' ? ANYONE : await insertPerson({ roles: [name] }))
  }
  const secret = await insertProduct({
    controls: [{ group: await insertGroup(), entry: true, memberControl: 3, otherControl: 3 }],
  })
  const classification = uniqueName('Class')
  const [row] = await execute(sql`INSERT INTO classifications (name, name_fold, description)
    VALUES (${classification}, ${classification.toLowerCase()}, '') RETURNING id`)
  await execute(
    sql`UPDATE products SET classification_id = ${Number(row?.id)} WHERE id = ${secret.id}`,
  )
  const [part] = await execute(sql`SELECT id FROM components WHERE product_id = ${secret.id}`)
  const bug = String(await postBug(await insertPerson(), await insertProduct()))
  hidden = {
    product: secret.name,
    productId: String(secret.id),
    component: secret.component,
    componentId: String(part?.id),
    classification,
    classificationId: String(row?.id),
    bug,
  }
  missing = {
    product: uniqueName('NoProduct'),
    productId: '999999997',
    component: uniqueName('NoComponent'),
    componentId: '999999998',
    classification: uniqueName('NoClass'),
    classificationId: '999999999',
    bug,
  }
})

/** The answer to a request about these names, with the names taken out of it. */
async function answerAbout(names: Names, reader: Sender, request: (typeof REQUESTS)[number]) {
  const [method, path, body] = request
  const filled = path.replace(/\{(\w+)\}/g, (_, key: keyof Names) => encodeURIComponent(names[key]))
  const { status, text } = await send(reader, method, `/rest${filled}`, body?.(names))
  const neutral = Object.entries(names).reduce(
    (all, [key, name]) => all.replaceAll(`'${name}'`, `'{${key}}'`),
    text,
  )
  return { status, neutral }
}

describe('what is hidden answers like what is missing', () => {
  test.each(REQUESTS.map((request) => [`${request[0]} ${request[1]}`, request] as const))(
    'to %s',
    async (_, request) => {
      for (const [name, reader] of readers) {
        const [one, other] = [
          await answerAbout(hidden, reader, request),
          await answerAbout(missing, reader, request),
        ]
        expect({ name, ...one }).toEqual({ name, ...other })
      }
    },
  )
})
