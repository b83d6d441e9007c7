import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { attachments, bugs, comments } from '../../platform/db/schema/bugs.ts'
import { fields, fieldValues, keywords } from '../../platform/db/schema/fields.ts'
import { flagTypes } from '../../platform/db/schema/flags.ts'
import { groups } from '../../platform/db/schema/groups.ts'
import {
  classifications,
  components,
  milestones,
  products,
  versions,
} from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { fold } from '../../platform/lib/text.ts'

type IdTable = SQLiteTable & { readonly id: SQLiteColumn }
type NamedTable = IdTable & { readonly name: SQLiteColumn; readonly nameFold: SQLiteColumn }
type PartTable = NamedTable & { readonly productId: SQLiteColumn }

/** What a line refers to: by a name that stays, perhaps within a product or field, or by a number. */
type ReferenceKind = {
  /** Completes "there is no …". */
  readonly noun: string
  /** The part of the archive that has the rows. */
  readonly part: string
  /** The name of the row with this ID, as SQL; null where its number is the reference. */
  readonly nameOf: ((id: SQL) => SQL) | null
  readonly isFolded: boolean
  /** `FROM` of the rows that the keys in `r` name, and the column of their ID. */
  readonly found: { readonly from: SQL; readonly id: SQL }
}

const p = aliasColumns(products, 'p')
const f = aliasColumns(fields, 'f')
const v = aliasColumns(fieldValues, 'v')
const u = aliasColumns(users, 'u')

/** A key is a JSON list: the scope, if the kind has one, and the name or number. */
const scope = sql`r.value ->> 0`
const name = sql`r.value ->> 1`

const NAMED = { isFolded: true } as const

function numbered(noun: string, part: string, table: IdTable): ReferenceKind {
  const { id } = aliasColumns(table as typeof bugs, 't')
  return {
    noun,
    part,
    nameOf: null,
    isFolded: false,
    found: { id, from: sql`JOIN ${table} t ON ${id} = ${name}` },
  }
}

function named(noun: string, part: string, table: NamedTable): ReferenceKind {
  const t = aliasColumns(table as typeof keywords, 't')
  return {
    noun,
    part,
    ...NAMED,
    nameOf: (id) => sql`(SELECT ${t.name} FROM ${table} t WHERE ${t.id} = ${id})`,
    found: { id: t.id, from: sql`JOIN ${table} t ON ${t.nameFold} = ${name}` },
  }
}

function inProduct(noun: string, part: string, table: PartTable): ReferenceKind {
  const t = aliasColumns(table as typeof versions, 't')
  return {
    ...named(noun, part, table),
    found: {
      id: t.id,
      from: sql`JOIN products p ON ${p.nameFold} = ${scope}
        JOIN ${table} t ON ${t.productId} = ${p.id} AND ${t.nameFold} = ${name}`,
    },
  }
}

const REFERENCES = {
  person: {
    noun: 'account',
    part: 'users',
    ...NAMED,
    nameOf: (id) => sql`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${id})`,
    found: { id: u.id, from: sql`JOIN users u ON ${u.loginFold} = ${name}` },
  },
  field: {
    noun: 'field',
    part: 'fields',
    isFolded: false,
    nameOf: (id) => sql`(SELECT ${f.name} FROM fields f WHERE ${f.id} = ${id})`,
    found: { id: f.id, from: sql`JOIN fields f ON ${f.name} = ${name}` },
  },
  value: {
    noun: 'value',
    part: 'field_values',
    ...NAMED,
    nameOf: (id) => sql`(SELECT ${v.name} FROM field_values v WHERE ${v.id} = ${id})`,
    found: {
      id: v.id,
      from: sql`JOIN fields f ON ${f.name} = ${scope}
        JOIN field_values v ON ${v.fieldId} = ${f.id} AND ${v.nameFold} = ${name}`,
    },
  },
  group: named('group', 'groups', groups),
  classification: named('classification', 'classifications', classifications),
  product: named('product', 'products', products),
  keyword: named('keyword', 'keywords', keywords),
  component: inProduct('component', 'components', components),
  version: inProduct('version', 'versions', versions),
  milestone: inProduct('milestone', 'milestones', milestones),
  flagType: numbered('flag type', 'flag_types', flagTypes),
  bug: numbered('bug', 'bugs', bugs),
  attachment: numbered('attachment', 'attachments', attachments),
  comment: numbered('comment', 'comments', comments),
} as const satisfies Record<string, ReferenceKind>

export type ReferenceName = keyof typeof REFERENCES

export function referenceKind(kind: ReferenceName): ReferenceKind {
  return REFERENCES[kind]
}

/** The text by which the row is found that a name, or a number, means within its scope. */
export function referenceKey(
  kind: ReferenceName,
  given: string | number,
  within: string | null,
): string {
  const isProduct = kind !== 'value' && within !== null
  const { isFolded } = referenceKind(kind)
  return JSON.stringify([isProduct ? fold(within) : within, isFolded ? fold(String(given)) : given])
}

/** Selects the places of the keys in their list, and the IDs of the rows that they name. */
export function selectReferences(kind: ReferenceName, keys: readonly string[]) {
  const { id, from } = referenceKind(kind).found
  return db
    .select({ place: sql<number>`r.key`.as('place'), id: sql<number>`${id}`.as('found_id') })
    .from(sql`json_each(${`[${keys.join(',')}]`}) r ${from}`)
}
