import { fold } from '../../../src/platform/lib/text.ts'
import type { Build } from './build-archive.ts'
import type { SourcePart, SourceProduct } from './shapes.ts'

/** In the place of versions and milestones without a name. */
export const DEFAULT_VERSION = 'unspecified'
export const DEFAULT_MILESTONE = '---'

const LARGEST_SORT_KEY = 32_767

/** Products with their components, versions and milestones: those of the source, and what bugs name besides. */
export function buildProducts(build: Build, classifications: ReadonlySet<string>): void {
  const { source, survey, numbers, writer, notes } = build
  const products = new Map(source.structure.products.map((one) => [fold(one.name), one]))
  for (const name of survey.places.keys()) {
    if (!products.has(fold(name))) {
      if (source.structure.products.length > 0) {
        notes.add(`product '${name}': the source does not describe it: it takes no new bugs`)
      }
      const isActive = source.structure.products.length === 0
      products.set(fold(name), {
        ...{ id: null, name, is_active: isActive, components: [], versions: [], milestones: [] },
      })
    }
  }
  for (const product of products.values()) {
    const { name } = product
    const place = survey.places.get(name)
    const classification = product.classification ?? ''
    writer.add('products', {
      ...{ id: numbers.of('products', name, product.id), name },
      classification: classifications.has(fold(classification)) ? classification : 'Unclassified',
      description: product.description || name,
      is_active: product.is_active ?? true,
      has_unconfirmed: product.has_unconfirmed ?? true,
      creation_time: survey.earliest,
      group_controls: survey.groupsOf(name).map((group) => ({
        ...{ group, membercontrol: 1, othercontrol: 0 },
      })),
    })
    const { versions, milestones, default_milestone: preferred } = product
    const used = { versions: place?.versions, milestones: place?.milestones }
    buildParts(build, product, { part: 'versions', described: versions, used: used.versions })
    buildParts(build, product, {
      ...{ part: 'milestones', described: milestones, used: used.milestones, preferred },
    })
    buildComponents(build, product, place?.components ?? new Set())
  }
}

type Parts = {
  readonly part: 'versions' | 'milestones'
  readonly described: readonly SourcePart[]
  readonly used: ReadonlySet<string> | undefined
  readonly preferred?: string | undefined
}

function buildParts(
  { numbers, writer }: Build,
  { name: product }: SourceProduct,
  { part, described, used = new Set(), preferred }: Parts,
): void {
  const fallback = part === 'versions' ? DEFAULT_VERSION : DEFAULT_MILESTONE
  const parts = new Map(described.map((one) => [fold(one.name), one]))
  for (const given of used) {
    const name = given || fallback
    parts.set(fold(name), parts.get(fold(name)) ?? { id: null, name })
  }
  if (parts.size === 0) {
    parts.set(fold(fallback), { id: null, name: fallback })
  }
  for (const [key, one] of parts) {
    writer.add(part, {
      ...{ id: numbers.of(part, `${product}\n${one.name}`, one.id), product, name: one.name },
      is_active: one.is_active ?? true,
      sort_key: Math.min(Math.max(one.sort_key ?? 0, -LARGEST_SORT_KEY), LARGEST_SORT_KEY),
      is_default: key === fold(preferred || fallback),
    })
  }
}

function buildComponents(
  { survey, numbers, writer, person }: Build,
  { name: product, components: described }: SourceProduct,
  used: ReadonlySet<string>,
): void {
  const components = new Map(described.map((one) => [fold(one.name), one]))
  for (const name of used) {
    components.set(fold(name), components.get(fold(name)) ?? { id: null, name })
  }
  const optional = (login: string | null | undefined) => (login ? person(login) : null)
  for (const one of components.values()) {
    for (const login of [one.default_assigned_to, one.default_qa_contact, one.triage_owner]) {
      survey.addPerson({ name: login ?? '' })
    }
    writer.add('components', {
      ...{ id: numbers.of('components', `${product}\n${one.name}`, one.id), product },
      ...{ name: one.name, description: one.description || one.name },
      ...{ is_active: one.is_active ?? true, sort_key: one.sort_key ?? 0 },
      default_assigned_to: person(one.default_assigned_to ?? ''),
      default_qa_contact: optional(one.default_qa_contact),
      triage_owner: optional(one.triage_owner),
    })
  }
}
