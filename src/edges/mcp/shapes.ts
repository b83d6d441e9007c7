import type { Schema } from './types.ts'

/** Argument shapes. Values are validated by the operation, which is lenient, and not by these. */

export function text(description: string): Schema {
  return { type: 'string', description }
}

export function whole(description: string): Schema {
  return { type: 'integer', minimum: 0, description }
}

export function yesNo(description: string): Schema {
  return { type: 'boolean', description }
}

export function texts(description: string): Schema {
  return { type: 'array', items: { type: 'string' }, description }
}

export function edit(description: string): Schema {
  const items = { type: 'array', items: { type: 'string' } }
  return { type: 'object', properties: { add: items, remove: items }, description }
}

/** The fields that an installation has defined. */
export const customFields: Schema = {
  type: 'object',
  description: 'Custom fields by name, all of which begin with `cf_`',
}

export const bug = text('ID of the bug, or its alias')

export const flags: Schema = {
  type: 'array',
  description: 'Flags to set: `?` asks `requestee`, `+` grants, `-` denies, `X` clears',
  items: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      status: { type: 'string', enum: ['?', '+', '-', 'X'] },
      requestee: { type: 'string', description: 'Login of the person who is asked' },
    },
    required: ['name', 'status'],
  },
}

/** Of every tool that writes. */
export const idempotencyKey = text(
  'A text of your own for this call. Repeating the call with it within a day changes nothing more and gives the first result',
)

export type PageSize = { readonly what: string; readonly normal: number; readonly most: number }

export function page(size: PageSize): Readonly<Record<string, Schema>> {
  return { limit: limit(size), offset: whole(`${size.what} to skip`) }
}

export function limit({ what, normal, most }: PageSize): Schema {
  return whole(`Most ${what} to return: ${normal} unless given, ${most} at most`)
}

/** How much of each long text is returned. */
export function textLength(normal: number): Schema {
  return whole(`Most characters of a text to return: ${normal} unless given`)
}

export const objects: Schema = { type: 'array', items: { type: 'object' } }

/** Says what a result leaves out and how to get it. */
export const note: Schema = {
  type: 'string',
  description: 'What is left out, and how to get it',
}
