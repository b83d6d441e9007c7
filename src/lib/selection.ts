/**
 * How a resource gives a field: with every answer, only on request, or as a custom field, which is given
 * like a default one but has a shortcut of its own.
 */
export type FieldClass = 'default' | 'extra' | 'custom'

const SHORTCUTS: Record<FieldClass, readonly string[]> = {
  default: ['_default'],
  extra: ['_extra'],
  custom: ['_default', '_custom'],
}

const DETAIL = '_detail'

/**
 * include_fields and exclude_fields of one request ("Conventions"). The first of these that matches
 * decides: exclude names it, include names it, exclude has `_all`, include has `_all`, exclude has a
 * shortcut of its class, include has one (no include means `_default`), and last kinship: a sub-field
 * comes with its named parent, a parent with any of its named sub-fields.
 *
 * `x_detail` is the long form of `x`: it answers to both names, naming it brings `x` along, and its
 * sub-fields are written `x.name`.
 */
export class Selection {
  /** What a caller who selects nothing gets: all default fields. */
  static readonly ALL = new Selection({})

  readonly #include: ReadonlySet<string>
  readonly #exclude: ReadonlySet<string>
  readonly #parentsIncluded: ReadonlySet<string>
  readonly #parentsMentioned: ReadonlySet<string>
  /** What was decided of fields so far: every object of a list is cut alike. */
  readonly #decided: Record<FieldClass, Map<string, boolean>> = {
    default: new Map(),
    extra: new Map(),
    custom: new Map(),
  }

  /** Takes field names as `commaList` splits them. */
  constructor(input: {
    include_fields?: readonly string[]
    exclude_fields?: readonly string[]
  }) {
    this.#include = new Set(input.include_fields)
    this.#exclude = new Set(input.exclude_fields)
    this.#parentsIncluded = parentsIn(this.#include)
    this.#parentsMentioned = parentsIn(new Set([...this.#include, ...this.#exclude]))
  }

  /** Whether a top-level field belongs in the answer. */
  wants(field: string, fieldClass: FieldClass = 'default'): boolean {
    const decided = this.#decided[fieldClass]
    const known = decided.get(field)
    if (known !== undefined) {
      return known
    }
    const verdict =
      this.#judge([field, baseOf(field)], fieldClass) ??
      (this.#parentsIncluded.has(baseOf(field)) || this.#include.has(`${field}${DETAIL}`))
    decided.set(field, verdict)
    return verdict
  }

  /** Whether the request mentions sub-fields, so that there is something to cut in the fields themselves. */
  get cutsParts(): boolean {
    return this.#parentsMentioned.size > 0
  }

  /**
   * Whether include_fields names the field or one of its sub-fields, rather than reaching it through a
   * shortcut. Whether it is wanted is another question: exclude_fields may still drop it.
   */
  names(field: string): boolean {
    return this.#include.has(field) || this.#parentsIncluded.has(baseOf(field))
  }

  /**
   * Whether `parent.field` belongs in the answer, given that its parent does. `parentClass` is the class
   * of the parent, which its sub-fields share.
   */
  wantsUnder(parent: string, field: string, parentClass: FieldClass = 'default'): boolean {
    const base = baseOf(parent)
    const verdict = this.#judge([`${base}.${field}`], parentClass)
    return verdict ?? (this.#include.has(base) || this.#include.has(base + DETAIL))
  }

  /**
   * The wanted fields of an object. Where the request mentions sub-fields of a field, the object or the
   * objects of the array in it are cut down to the wanted ones; all other values stay as they are.
   */
  prune<T extends object>(object: T, classOf?: (field: string) => FieldClass): Partial<T>
  prune(object: object, classOf: (field: string) => FieldClass = () => 'default'): object {
    const pruned: Record<string, unknown> = {}
    for (const [field, value] of Object.entries(object)) {
      const fieldClass = classOf(field)
      if (this.wants(field, fieldClass)) {
        pruned[field] = this.#pruneUnder(field, value, fieldClass)
      }
    }
    return pruned
  }

  #judge(names: readonly string[], fieldClass: FieldClass): boolean | undefined {
    const shortcuts = SHORTCUTS[fieldClass]
    for (const spellings of [names, ['_all'], shortcuts]) {
      if (spellings.some((name) => this.#exclude.has(name))) {
        return false
      }
      if (spellings.some((name) => this.#include.has(name))) {
        return true
      }
    }
    return this.#include.size === 0 && shortcuts.includes('_default') ? true : undefined
  }

  #pruneUnder(parent: string, value: unknown, parentClass: FieldClass): unknown {
    if (this.#parentsMentioned.size === 0 || !this.#parentsMentioned.has(baseOf(parent))) {
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
      Object.entries(item).filter(([field]) => this.wantsUnder(parent, field, parentClass)),
    )
  }
}

function baseOf(field: string): string {
  return field.endsWith(DETAIL) ? field.slice(0, -DETAIL.length) : field
}

function parentsIn(names: ReadonlySet<string>): ReadonlySet<string> {
  const dotted = [...names].filter((name) => name.includes('.'))
  return new Set(dotted.map((name) => name.slice(0, name.indexOf('.'))))
}
