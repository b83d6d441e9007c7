import { jsonSelect } from '../../platform/db/json-select.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { fields, fieldValues } from '../../platform/db/schema/fields.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { aliasColumns, sql } from '../../platform/db/sql.ts'
import { RecentValues } from '../../platform/lib/isolate.ts'

const f = aliasColumns(fields, 'f')
const v = aliasColumns(fieldValues, 'v')

/** The fields and values of the configuration that a search must know before it can be parsed. */
export type SearchConfiguration = {
  /** Differs whenever a field or a value of a field was created, changed or removed. */
  readonly signature: string
  /** Custom fields by their names, which are lower case. */
  readonly customFields: ReadonlyMap<string, { readonly id: number; readonly type: number }>
  /** The values of these fields in their configured order. */
  readonly statuses: readonly { readonly name: string; readonly isOpen: boolean }[]
  /** Without the empty one. */
  readonly resolutions: readonly string[]
  readonly priorities: readonly string[]
}

/** For searches that name nothing of the configuration. */
export const EMPTY_CONFIGURATION: SearchConfiguration = {
  signature: '',
  customFields: new Map(),
  statuses: [],
  resolutions: [],
  priorities: [],
}

const selectSignature = jsonSelect({ signature: sql<string>`state.signature` })

/** Reads the present signature, for the batch of a search that was parsed with a configuration. */
export const signatureSelect = () =>
  selectSignature(sql`FROM (SELECT count(*) || ':' || coalesce(max(${f.id}), 0) || ':' ||
    coalesce(sum(${f.revision}), 0) AS signature FROM fields f) state`)

const selectCustomFields = jsonSelect({
  id: sql<number>`${f.id}`,
  name: sql<string>`${f.name}`,
  type: sql<number>`${f.type}`,
})

const selectValues = jsonSelect({
  field: sql<string>`${f.name}`,
  name: sql<string>`${v.name}`,
  isOpen: sql<number | null>`${v.isOpen}`,
})

const configurations = new RecentValues<SearchConfiguration>(1)
const PRESENT = 'present'

/**
 * The configuration as this isolate last read it, or as it is now. A caller that parses a search with it
 * sends `signatureSelect` along with the search and gives the answer to `isCurrent`.
 */
export async function loadConfiguration(ctx: SessionHolder): Promise<SearchConfiguration> {
  const known = configurations.get(PRESENT)
  if (known !== undefined) {
    return known
  }
  const read = await readConfiguration(ctx)
  configurations.set(PRESENT, read)
  return read
}

/** Whether the configuration is still that which the search read; else it is dropped from the cache. */
export function isCurrent(
  configuration: SearchConfiguration,
  rows: readonly { signature: string }[],
): boolean {
  const isSame = rows[0]?.signature === configuration.signature
  if (!isSame) {
    configurations.delete(PRESENT)
  }
  return isSame
}

async function readConfiguration(ctx: SessionHolder): Promise<SearchConfiguration> {
  const { signature, customFields, values } = await readBatch(ctx, {
    signature: signatureSelect(),
    customFields: selectCustomFields(sql`FROM fields f WHERE ${f.isCustom} = 1`),
    values: selectValues(
      sql`FROM fields f JOIN field_values v ON ${v.fieldId} = ${f.id}
        WHERE ${f.name} IN ('bug_status', 'resolution', 'priority') AND ${v.name} <> ''`,
      sql`${v.sortKey}, ${v.nameFold}`,
    ),
  })
  const valuesOf = (field: string) => values.filter((value) => value.field === field)
  return {
    signature: signature[0]?.signature ?? '',
    customFields: new Map(customFields.map(({ id, name, type }) => [name, { id, type }])),
    statuses: valuesOf('bug_status').map(({ name, isOpen }) => ({ name, isOpen: isOpen === 1 })),
    resolutions: valuesOf('resolution').map(({ name }) => name),
    priorities: valuesOf('priority').map(({ name }) => name),
  }
}
