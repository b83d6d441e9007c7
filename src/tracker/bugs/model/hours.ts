import { dateInvalid, fault } from '../../../platform/faults/fault.ts'
import { oneValue } from '../../../platform/http/operations/shapes.ts'
import { parseDay } from '../../../platform/lib/time.ts'
import { parseHours } from '../../comments/hours.ts'

/** The parameter of hours: a number, or its digits. The verb refuses anything else. */
export function hoursInput() {
  return oneValue().meta({ type: 'number' }).optional()
}

type HoursInput = {
  readonly deadline?: string | null
  readonly estimated_time?: unknown
  readonly remaining_time?: unknown
}

/** A deadline as it is stored: a day, or none for a blank one. */
export function parseDeadline(given: string | null): string | null {
  const value = given?.trim() ?? ''
  if (value === '') {
    return null
  }
  const day = parseDay(value)
  if (day === null) {
    throw fault(dateInvalid, { field: 'deadline', value: value.slice(0, 100) })
  }
  return day
}

/**
 * The deadline and hours of a new bug. Without `remaining_time`, the estimate remains. Only time trackers set
 * any of them.
 */
export function decideNewHours(input: HoursInput, tracksTime: boolean) {
  if (!tracksTime) {
    return {}
  }
  const estimatedTime = parseHours('estimated_time', input.estimated_time)
  const saysRemaining = String(input.remaining_time ?? '').trim() !== ''
  return {
    deadline: parseDeadline(input.deadline ?? null),
    estimatedTime,
    remainingTime: saysRemaining
      ? parseHours('remaining_time', input.remaining_time)
      : estimatedTime,
  }
}
