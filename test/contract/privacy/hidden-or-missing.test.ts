import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestProduct } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, type Sender, send } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

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

const readers = new Map<string, Sender>()

/** The names of a product, which becomes the only one of a classification. */
async function namesOf({ id, name, component }: TestProduct, bug: string): Promise<Names> {
  const classification = uniqueName('Class')
  const [row] = await execute(sql`INSERT INTO classifications (name, name_fold, description)
    VALUES (${classification}, ${classification.toLowerCase()}, '') RETURNING id`)
  await execute(sql`UPDATE products SET classification_id = ${Number(row?.id)} WHERE id = ${id}`)
  const [part] = await execute(sql`SELECT id FROM components WHERE product_id = ${id}`)
  return {
    product: name,
    productId: String(id),
    component,
    componentId: String(part?.id),
    classification,
    classificationId: String(row?.id),
    bug,
  }
}

for (const name of READERS) {
  readers.set(name, name === 'anyone' ? ANYONE : await insertPerson({ roles: [name] }))
}
const secret = await insertProduct({
  controls: [{ group: await insertGroup(), entry: true, memberControl: 3, otherControl: 3 }],
})
const open = await insertProduct()
const bug = String(await postBug(await insertPerson(), open))
const hidden = await namesOf(secret, bug)
const outside = await namesOf(await insertProduct(), bug)
const admin = await insertPerson({ roles: ['admin'] })
const limited = await insertApiKey(admin, { products: [open.id] })
const missing: Names = {
  product: uniqueName('NoProduct'),
  productId: '999999997',
  component: uniqueName('NoComponent'),
  componentId: '999999998',
  classification: uniqueName('NoClass'),
  classificationId: '999999999',
  bug,
}

/** The answer to a request about these names, with the names taken out of it. */
async function answerAbout(names: Names, reader: Sender, request: (typeof REQUESTS)[number]) {
  const [method, path, body] = request
  const filled = path.replace(/\{(\w+)\}/g, (_, key: keyof Names) => encodeURIComponent(names[key]))
  const { status, text } = await send(reader, method, `/rest${filled}`, body?.(names))
  // a number may be that of two things
  const isInPath = ([key]: [string, string]) => path.includes(`{${key}}`)
  const entries = Object.entries(names).sort((a, b) => Number(isInPath(b)) - Number(isInPath(a)))
  const neutral = entries.reduce(
    (all, [key, name]) => all.replaceAll(`'${name}'`, `'{${key}}'`),
    text,
  )
  return { status, neutral }
}

describe('a hidden thing cannot be told from a missing one', () => {
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

  test.each(REQUESTS.map((request) => [`${request[0]} ${request[1]}`, request] as const))(
    'to %s, when an API key is for other products and its owner is an administrator',
    async (_, request) => {
      expect(await answerAbout(outside, limited, request)).toEqual(
        await answerAbout(missing, limited, request),
      )
    },
  )
})
