/// <reference types="vite/types/importMeta.d.ts" />
import type { AnyFault } from '../../src/platform/faults/fault.ts'

const modules = import.meta.glob<Record<string, unknown>>(
  ['/src/platform/faults/*.ts', '/src/**/faults.ts'],
  { eager: true },
)

/** Every fault that a room of `src` defines, with the name that it exports it by. */
export const namedFaultKinds = Object.values(modules)
  .flatMap((module) => Object.entries(module))
  .filter((entry): entry is [string, AnyFault] => isFaultKind(entry[1]))

export const faultKinds: readonly AnyFault[] = namedFaultKinds.map(([, kind]) => kind)

function isFaultKind(value: unknown): value is AnyFault {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value
}
