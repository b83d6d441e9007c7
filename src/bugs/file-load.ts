import { eq, type SQL, sql } from 'drizzle-orm'
import type { Caller, Person } from '../access/caller.ts'
import { enterableProduct, selectableProduct } from '../access/visible.ts'
import { tagRightIfAsked } from '../comments/tagging.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import type { Door } from '../db/door.ts'
import { components } from '../db/schema/components.ts'
import { milestones, products, versions } from '../db/schema/products.ts'
import { together } from '../db/together.ts'
import { readFlags } from '../flags/load.ts'
import { fold } from '../lib/text.ts'
import type { Settings } from '../settings.ts'
import { customOfNewBug } from './custom-input.ts'
import { loadCustom } from './custom-load.ts'
import type { FileBugInput } from './file-input.ts'
import { relationsOfNewBug } from './lists-input.ts'
import { keywordsNamed, loadRelations } from './lists-load.ts'
import {
  allStatuses,
  allValues,
  bugsWithAlias,
  CHOICES,
  type Choice,
  controlsOf,
  peopleNamed,
  valuesNamed,
} from './lookup.ts'
import { loadSeeAlso } from './see-also-load.ts'

export type Known = Awaited<ReturnType<typeof loadForFiling>>

/** Everything that deciding on a new bug needs, by the names in the input, in one trip. */
export function loadForFiling(
  { caller, settings, baseUrl }: Ctx,
  person: Person,
  door: Door,
  input: FileBugInput,
) {
  const none = sql`SELECT 0 WHERE 0`
  const productFold = fold((input.product ?? '').trim())
  const mentioned = [input.assigned_to, input.qa_contact, ...(input.cc ?? [])]
  return together(door, {
    products: productNamed(caller, productFold),
    components: componentNamed(productFold, input.component),
    versions: db
      .select({
        id: versions.id,
        name: versions.name,
        isActive: versions.isActive,
        revision: versions.revision,
      })
      .from(versions)
      .where(inProduct(sql`versions`, productFold, input.version)),
    milestones: db
      .select({
        id: milestones.id,
        name: milestones.name,
        isActive: milestones.isActive,
        revision: milestones.revision,
      })
      .from(milestones)
      .where(
        input.target_milestone === undefined
          ? sql`milestones.is_default = 1 AND milestones.product_id = (${idOfProduct(productFold)})`
          : inProduct(sql`milestones`, productFold, input.target_milestone),
      ),
    values: valuesNamed(wantedValues(input, settings)),
    types: settings.REQUIRE_BUG_TYPE ? allValues('bug_type') : undefined,
    statuses: allStatuses(),
    controls: controlsOf(sql`(SELECT id FROM products WHERE name_fold = ${productFold})`),
    people: peopleNamed(mentioned.filter((login) => login !== undefined)),
    keywords: keywordsNamed(input.keywords ?? []),
    sameAlias: input.alias?.trim() ? bugsWithAlias(caller, input.alias) : undefined,
    ...loadRelations(caller, relationsOfNewBug(input), none),
    ...loadSeeAlso(caller, baseUrl, input.see_also && { add: input.see_also }, none),
    ...loadCustom(caller, customOfNewBug(input), none, true),
    ...readFlags({ inputs: input.flags ?? [], bugs: null, products: idOfProduct(productFold) }),
    tagRight: tagRightIfAsked(person, settings, input.comment_tags),
  })
}

function productNamed(caller: Caller, productFold: string) {
  return db
    .select({
      id: products.id,
      name: products.name,
      isActive: products.isActive,
      hasUnconfirmed: products.hasUnconfirmed,
      classificationId: products.classificationId,
      defaultTypeId: products.defaultTypeId,
      isEnterable: sql<boolean>`${enterableProduct(caller)}`.mapWith(Boolean).as('is_enterable'),
      isSelectable: sql<boolean>`${selectableProduct(caller)}`.mapWith(Boolean).as('is_selectable'),
      revision: products.revision,
    })
    .from(products)
    .where(eq(products.nameFold, productFold))
}

function componentNamed(productFold: string, name = '') {
  return db
    .select({
      id: components.id,
      name: components.name,
      isActive: components.isActive,
      defaultTypeId: components.defaultTypeId,
      template: components.bugDescriptionTemplate,
      defaultAssigneeId: components.defaultAssigneeId,
      defaultQaContactId: components.defaultQaContactId,
      defaultCc: sql<string>`(SELECT json_group_array(c.user_id) FROM component_cc c
        WHERE c.component_id = components.id)`.as('default_cc'),
      revision: components.revision,
    })
    .from(components)
    .where(inProduct(sql`components`, productFold, name))
}

function idOfProduct(productFold: string) {
  return sql`SELECT p.id FROM products p WHERE p.name_fold = ${productFold}`
}

function inProduct(table: SQL, productFold: string, name = '') {
  return sql`${table}.product_id = (${idOfProduct(productFold)})
    AND ${table}.name_fold = ${fold(name.trim())}`
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
