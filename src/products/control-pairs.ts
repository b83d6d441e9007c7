import { GROUP_CONTROL } from '../db/schema/products.ts'

export type Control = keyof typeof GROUP_CONTROL

/** The names of `GROUP_CONTROL`. */
export const CONTROLS = Object.keys(GROUP_CONTROL) as readonly Control[]

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
  return CONTROLS.find((control) => GROUP_CONTROL[control] === number) ?? 'NA'
}
