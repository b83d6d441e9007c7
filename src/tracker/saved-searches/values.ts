import { requireLine } from '../../platform/faults/checks.ts'

const MAX_NAME_LENGTH = 64

export function parseSavedSearchName(text: string): string {
  return requireLine('name', text, MAX_NAME_LENGTH)
}
