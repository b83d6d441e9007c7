import type { RowsOf } from '../../platform/db/read-batch.ts'
import { fields } from '../../platform/db/schema/fields.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import type { ArchivedField } from './custom-values.ts'
import { LineProblem, type ParsedLine, type RowReference } from './parse-line.ts'
import { type ReferenceName, referenceKind, selectReferences } from './references.ts'

const f = aliasColumns(fields, 'f')

export function selectCustomFields() {
  return db
    .select({
      id: sql<number>`${f.id}`.as('field_id'),
      name: sql<string>`${f.name}`.as('name'),
      type: sql<number>`${f.type}`.as('type'),
    })
    .from(sql`fields f`)
    .where(sql`${f.isCustom} = 1`)
}

export function customFieldsByName(
  rows: RowsOf<ReturnType<typeof selectCustomFields>>,
): ReadonlyMap<string, ArchivedField> {
  return new Map(rows.map(({ name, ...field }) => [name, field]))
}

type Found = Readonly<Record<string, RowsOf<ReturnType<typeof selectReferences>>>>

/** What lines refer to: each thing is looked up once, all in one round trip. */
export class References {
  readonly #places = new Map<ReferenceName, Map<string, number>>()
  readonly #ids = new Map<ReferenceName, Map<number, number>>()

  constructor(lines: readonly ParsedLine[]) {
    for (const { kind, key } of lines.flatMap(({ references }) => references)) {
      const places = this.#places.get(kind) ?? new Map<string, number>()
      this.#places.set(kind, places)
      places.set(key, places.get(key) ?? places.size)
    }
  }

  selects() {
    return Object.fromEntries(
      [...this.#places].map(([kind, places]) => [kind, selectReferences(kind, [...places.keys()])]),
    )
  }

  learn(found: Found): void {
    for (const kind of this.#places.keys()) {
      this.#ids.set(kind, new Map((found[kind] ?? []).map(({ place, id }) => [place, id])))
    }
  }

  /** Puts an ID into each place of a line. Throws for the first that leads nowhere. */
  fill(references: readonly RowReference[]): void {
    for (const { kind, key, row, column, text } of references) {
      const id = this.#ids.get(kind)?.get(this.#places.get(kind)?.get(key) ?? -1)
      if (id === undefined) {
        throw new LineProblem(`${text}: there is no such ${referenceKind(kind).noun}`)
      }
      row[column] = id
    }
  }
}
