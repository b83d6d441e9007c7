import type { SQL } from 'drizzle-orm'
import type { Caller, Person } from '../../../platform/access/caller.ts'
import type { Ctx } from '../../../platform/context.ts'
import { jsonSelect } from '../../../platform/db/json-select.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import {
  componentCc,
  components,
  milestones,
  products,
  versions,
} from '../../../platform/db/schema/products.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import { fold } from '../../../platform/lib/text.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { selectTagRightIfNeeded } from '../../comments/tagging.ts'
import { selectFlags } from '../../flags/load.ts'
import { productIdNamed } from '../change/product-move-load.ts'
import { mergeUnique } from '../model/capability.ts'
import {
  CHOICES,
  type Choice,
  indexPeople,
  selectBugsWithAlias,
  selectChoices,
  selectGroupControls,
  selectPeopleByLogin,
  selectStatuses,
  selectValuesNamed,
} from '../model/field-values.ts'
import { obstacleOf } from '../model/obstacle.ts'
import { FILING_CAPABILITIES } from './capabilities.ts'
import type { FileBugInput } from './input.ts'

const m = aliasColumns(componentCc, 'm')

export type KnownForFiling = Awaited<ReturnType<typeof loadForFiling>>

/** Everything that deciding on a new bug needs, by the names in the input, in one round trip. */
export async function loadForFiling(ctx: Ctx, person: Person, input: FileBugInput) {
  const { caller, settings, baseUrl } = ctx
  const product = productIdNamed(input.product)
  const site = { person, settings, baseUrl }
  const logins = [
    input.assigned_to,
    input.qa_contact,
    ...FILING_CAPABILITIES.flatMap((capability) => capability.logins?.(input) ?? []),
  ].filter((login) => login !== undefined)
  const reads = FILING_CAPABILITIES.map((capability) => capability.load?.(site, input) ?? {})
  const { people, ...known } = await readBatch(ctx, {
    ...mergeUnique(reads),
    products: productList(caller)(sql`FROM products WHERE ${products.id} = (${product})`),
    components: componentList(
      sql`FROM components WHERE ${called(components, product, input.component)}`,
    ),
    versions: versionList(sql`FROM versions WHERE ${called(versions, product, input.version)}`),
    milestones: milestoneList(
      input.target_milestone === undefined
        ? sql`FROM milestones WHERE ${milestones.isDefault} = 1 AND ${milestones.productId} = (${product})`
        : sql`FROM milestones WHERE ${called(milestones, product, input.target_milestone)}`,
    ),
    values: selectValuesNamed(wantedValues(input, settings)),
    types: settings.REQUIRE_BUG_TYPE ? selectChoices('bug_type') : undefined,
    statuses: selectStatuses(),
    controls: selectGroupControls(sql`(${product})`),
    people: logins.length > 0 ? selectPeopleByLogin(logins) : undefined,
    sameAlias: input.alias?.trim() ? selectBugsWithAlias(caller, input.alias) : undefined,
    ...selectFlags({ inputs: input.flags ?? [], bugs: null, products: product }),
    tagRight: selectTagRightIfNeeded(person, settings, input.comment_tags),
  })
  return { ...known, people: indexPeople(people) }
}

function productList(caller: Caller) {
  return jsonSelect({
    id: sql<number>`${products.id}`,
    name: sql<string>`${products.name}`,
    hasUnconfirmed: sql`${products.hasUnconfirmed}`.mapWith(Boolean),
    classificationId: sql<number>`${products.classificationId}`,
    defaultTypeId: sql<number | null>`${products.defaultTypeId}`,
    obstacle: obstacleOf(caller),
    revision: sql<number>`${products.revision}`,
  })
}

/** What any part of a product has. */
function partColumns(table: typeof components | typeof versions | typeof milestones) {
  return {
    id: sql<number>`${table.id}`,
    name: sql<string>`${table.name}`,
    isActive: sql`${table.isActive}`.mapWith(Boolean),
    revision: sql<number>`${table.revision}`,
  }
}

const versionList = jsonSelect(partColumns(versions))
const milestoneList = jsonSelect(partColumns(milestones))

const componentList = jsonSelect({
  ...partColumns(components),
  defaultTypeId: sql<number | null>`${components.defaultTypeId}`,
  template: sql<string>`${components.bugDescriptionTemplate}`,
  defaultAssigneeId: sql<number>`${components.defaultAssigneeId}`,
  defaultQaContactId: sql<number | null>`${components.defaultQaContactId}`,
  /** The people who are on the CC list of each of its bugs. */
  defaultCc: sql<number[]>`json((SELECT json_group_array(${m.userId}) FROM component_cc m
    WHERE ${m.componentId} = ${components.id}))`,
})

function called(
  table: typeof components | typeof versions | typeof milestones,
  product: SQL,
  name = '',
) {
  return sql`${table.productId} = (${product}) AND ${table.nameFold} = ${fold(name.trim())}`
}

/** The select values that may be needed: the given ones and every default. */
function wantedValues(input: FileBugInput, settings: Settings) {
  const names: Record<Choice, (string | undefined)[]> = {
    type: [input.type, settings.DEFAULT_BUG_TYPE],
    priority: [input.priority, settings.DEFAULT_PRIORITY],
    severity: [input.severity, settings.DEFAULT_SEVERITY],
    platform: [input.platform ?? input.rep_platform, settings.DEFAULT_PLATFORM],
    op_sys: [input.op_sys, settings.DEFAULT_OP_SYS],
  }
  const choices = (Object.keys(CHOICES) as Choice[]).flatMap((choice) =>
    names[choice].flatMap((name) =>
      name === undefined ? [] : [{ field: CHOICES[choice] as string, name }],
    ),
  )
  return [
    ...choices,
    { field: 'resolution', name: '' },
    { field: 'resolution', name: input.resolution ?? '' },
  ]
}
