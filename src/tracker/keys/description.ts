import { requireLine } from '../../platform/faults/checks.ts'

const MAX_DESCRIPTION_LENGTH = 255

export function parseKeyDescription(text: string): string {
  return requireLine('description', text, MAX_DESCRIPTION_LENGTH)
}
