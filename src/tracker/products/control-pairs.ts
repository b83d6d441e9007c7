import { GROUP_CONTROL } from '../../platform/db/schema/products.ts'

export type Control = keyof typeof GROUP_CONTROL

/** The names of `GROUP_CONTROL`. */
export const CONTROLS = Object.keys(GROUP_CONTROL) as readonly Control[]

/**
 * Whether the controls for members and for others may be combined: equal ones may, SHOWN for members with
 * any, DEFAULT for members with all but SHOWN.
 */
export function isLegalPair(member: Control, other: Control): boolean {
  return member === other || member === 'SHOWN' || (member === 'DEFAULT' && other !== 'SHOWN')
}

/** Parses the name of a control, in either case; undefined for an unknown one. */
export function parseControl(name: string): Control | undefined {
  return CONTROLS.find((control) => control === name.trim().toUpperCase())
}

/** The name of a control that is stored as a number. */
export function presentControl(number: number): Control {
  return CONTROLS.find((control) => GROUP_CONTROL[control] === number) ?? 'NA'
}
