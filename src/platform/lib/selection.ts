export type SelectedFields = {
  include_fields?: readonly string[] | undefined
  exclude_fields?: readonly string[] | undefined
}

/**
 * When an answer has a field: always, on request only, always as a custom field, which has a shortcut of its own, or
 * only when it is named, which no shortcut does.
 */
export type FieldClass = 'default' | 'extra' | 'custom' | 'named'

const SHORTCUTS: Record<FieldClass, readonly string[]> = {
  default: ['_default'],
  extra: ['_extra'],
  custom: ['_default', '_custom'],
  named: [],
}

const DETAIL_SUFFIX = '_detail'
const DETAIL_PREFIX = /^([^.]+)_detail\./

/**
 * The include_fields and exclude_fields of a request.
 *
 * The first rule that matches a field decides: exclude names it, include names it, exclude has `_all`, include has
 * `_all`, exclude has a shortcut of its class, include has one (no include means `_default`). Otherwise a sub-field
 * is included with its named parent, and a parent with any of its named sub-fields.
 *
 * `x_detail` is the long form of `x`: both names select it, its own name selects `x` too, and its sub-fields are
 * written `x.name` or `x_detail.name`.
 */
export class Selection {
  readonly #include: ReadonlySet<string>
  readonly #exclude: ReadonlySet<string>
  readonly #parentsIncluded: ReadonlySet<string>
  readonly #parentsNamed: ReadonlySet<string>
  /** Of top-level fields, by their class: the objects of a list have the same. */
  readonly #decided: Readonly<Record<FieldClass, Map<string, boolean>>> = {
    default: new Map(),
    extra: new Map(),
    custom: new Map(),
    named: new Map(),
  }

  /** Expects field names as `commaList` returns them. */
  constructor(input: SelectedFields) {
    this.#include = new Set(input.include_fields?.map(shortenSubField))
    this.#exclude = new Set(input.exclude_fields?.map(shortenSubField))
    this.#parentsIncluded = parentsIn(this.#include)
    this.#parentsNamed = parentsIn(new Set([...this.#include, ...this.#exclude]))
  }

  /** Whether the answer has a top-level field. */
  includes(field: string, fieldClass: FieldClass = 'default'): boolean {
    const decided = this.#decided[fieldClass]
    const known = decided.get(field)
    if (known !== undefined) {
      return known
    }
    const isIncluded = this.#decide(field, fieldClass)
    decided.set(field, isIncluded)
    return isIncluded
  }

  #decide(field: string, fieldClass: FieldClass): boolean {
    if (fieldClass === 'named') {
      return this.#include.has(field) || this.#parentsIncluded.has(field)
    }
    return (
      this.#decideByRules([field, baseOf(field)], fieldClass) ??
      (this.#parentsIncluded.has(baseOf(field)) || this.#include.has(`${field}${DETAIL_SUFFIX}`))
    )
  }

  /** Whether the request names sub-fields, so that the values of fields have to be pruned too. */
  get hasSubFields(): boolean {
    return this.#parentsNamed.size > 0
  }

  /**
   * Whether include_fields names the field or one of its sub-fields, and does not only include it by a
   * shortcut. exclude_fields may exclude it all the same.
   */
  includesByName(field: string): boolean {
    return this.#include.has(field) || this.#parentsIncluded.has(baseOf(field))
  }

  /**
   * Whether the answer has `parent.field`, given that it has the parent. Sub-fields share the class of their
   * parent.
   */
  includesSubField(parent: string, field: string, parentClass: FieldClass = 'default'): boolean {
    const base = baseOf(parent)
    const isIncluded = this.#decideByRules([`${base}.${field}`], parentClass)
    return isIncluded ?? (this.#include.has(base) || this.#include.has(base + DETAIL_SUFFIX))
  }

  /**
   * The included fields of an object. Where the request names sub-fields of a field, its object or the
   * objects of its array keep the included ones; all other values stay as they are.
   */
  prune<T extends object>(object: T, classOf?: (field: string) => FieldClass): Partial<T>
  prune(object: object, classOf: (field: string) => FieldClass = () => 'default'): object {
    const pruned: Record<string, unknown> = {}
    for (const [field, value] of Object.entries(object)) {
      const fieldClass = classOf(field)
      if (this.includes(field, fieldClass)) {
        pruned[field] = this.#pruneValue(field, value, fieldClass)
      }
    }
    return pruned
  }

  #decideByRules(names: readonly string[], fieldClass: FieldClass): boolean | undefined {
    const shortcuts = SHORTCUTS[fieldClass]
    for (const alternatives of [names, ['_all'], shortcuts]) {
      if (alternatives.some((name) => this.#exclude.has(name))) {
        return false
      }
      if (alternatives.some((name) => this.#include.has(name))) {
        return true
      }
    }
    return this.#include.size === 0 && shortcuts.includes('_default') ? true : undefined
  }

  #pruneValue(parent: string, value: unknown, parentClass: FieldClass): unknown {
    if (this.#parentsNamed.size === 0 || !this.#parentsNamed.has(baseOf(parent))) {
      return value
    }
    if (Array.isArray(value)) {
      return value.map((item) => this.#pruneItem(parent, item, parentClass))
    }
    return this.#pruneItem(parent, value, parentClass)
  }

  #pruneItem(parent: string, item: unknown, parentClass: FieldClass): unknown {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return item
    }
    return Object.fromEntries(
      Object.entries(item).filter(([field]) => this.includesSubField(parent, field, parentClass)),
    )
  }
}

/** The names of a field and of its sub-field, null for the whole; a shortcut is none. */
export function parseFieldName(name: string): { field: string; subField: string | null } | null {
  if (name === '_all' || Object.values(SHORTCUTS).some((own) => own.includes(name))) {
    return null
  }
  const short = shortenSubField(name)
  const dot = short.indexOf('.')
  return dot < 0
    ? { field: baseOf(short), subField: null }
    : { field: short.slice(0, dot), subField: short.slice(dot + 1) }
}

/** The short and the long form of a field. */
export function formsOf(field: string): readonly string[] {
  return [field, field + DETAIL_SUFFIX]
}

function baseOf(field: string): string {
  return field.endsWith(DETAIL_SUFFIX) ? field.slice(0, -DETAIL_SUFFIX.length) : field
}

/** `x.name` for `x_detail.name`. */
function shortenSubField(name: string): string {
  return name.replace(DETAIL_PREFIX, '$1.')
}

function parentsIn(names: ReadonlySet<string>): ReadonlySet<string> {
  const dotted = [...names].filter((name) => name.includes('.'))
  return new Set(dotted.map((name) => name.slice(0, name.indexOf('.'))))
}
