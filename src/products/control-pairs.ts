/** How a group restricts the bugs of a product, in the order of the numbers that stand for them. */
export const CONTROLS = ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY'] as const

export type Control = (typeof CONTROLS)[number]

/**
 * Whether members of a group and everybody else may be controlled like this: alike; others in any way
 * where members are merely shown the group; others not at all or without choice where it is a default
 * for members.
 */
export function isLegalPair(member: Control, other: Control): boolean {
  return member === other || member === 'SHOWN' || (member === 'DEFAULT' && other !== 'SHOWN')
}

/** The control of that name, whatever its case; undefined when there is none. */
export function controlNamed(name: string): Control | undefined {
  return CONTROLS.find((control) => control === name.trim().toUpperCase())
}

export function controlOf(number: number): Control {
  return CONTROLS[number] ?? 'NA'
}
