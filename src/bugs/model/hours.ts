import { acceptedHours } from '../../comments/hours.ts'
import { fault } from '../../faults.ts'
import { parseDay } from '../../lib/time.ts'
import type { FieldChange } from '../change/decide.ts'

type Asked = {
  readonly deadline?: string | null
  readonly estimated_time?: unknown
  readonly remaining_time?: unknown
}

/** What a bug has now. */
type Held = { readonly words: { readonly estimated_time: string; readonly remaining_time: string } }

/**
 * The deadline and the hours that an update asks for. Pure. Contract "Bug", deadline and hours; faults 52,
 * 54, 55, 56.
 */
export function proposeHours(input: Asked, { words }: Held): FieldChange<HourField>[] {
  const proposals: FieldChange<HourField>[] = []
  const propose = (field: HourField, hours: number, held: string) =>
    // compared as numbers, since 2.50 is what it was
    proposals.push({ field, value: hours, added: hours === Number(held) ? held : String(hours) })
  if (input.deadline !== undefined) {
    const day = acceptedDeadline(input.deadline)
    proposals.push({ field: 'deadline', value: day, added: day ?? '' })
  }
  if (input.estimated_time !== undefined) {
    const estimated = acceptedHours('estimated_time', input.estimated_time)
    propose('estimated_time', estimated, words.estimated_time)
  }
  if (input.remaining_time !== undefined) {
    const remaining = acceptedHours('remaining_time', input.remaining_time)
    propose('remaining_time', remaining, words.remaining_time)
  }
  return proposals
}

type HourField = 'deadline' | 'estimated_time' | 'remaining_time'

/** A deadline as it is stored: a day, or none for a blank one. Fault 56. Contract "Bug", deadline. */
export function acceptedDeadline(given: string | null): string | null {
  const value = given?.trim() ?? ''
  if (value === '') {
    return null
  }
  const day = parseDay(value)
  if (day === null) {
    throw fault('dateInvalid', { field: 'deadline', value: value.slice(0, 100) })
  }
  return day
}

/**
 * The deadline and hours of a new bug: what is estimated remains, unless the request says otherwise.
 * Who does not track time sets none of them. Pure. Contract "Bugs", Create Bug body; faults as above.
 */
export function startingHours(input: Asked, tracksTime: boolean) {
  if (!tracksTime) {
    return {}
  }
  const estimatedTime = acceptedHours('estimated_time', input.estimated_time)
  const saysRemaining = String(input.remaining_time ?? '').trim() !== ''
  return {
    deadline: acceptedDeadline(input.deadline ?? null),
    estimatedTime,
    remainingTime: saysRemaining
      ? acceptedHours('remaining_time', input.remaining_time)
      : estimatedTime,
  }
}
