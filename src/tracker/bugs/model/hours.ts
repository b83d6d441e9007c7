import { oneValue } from '../../../platform/http/operations/shapes.ts'
import { textOfAny } from '../../../platform/lib/text.ts'
import { parseHours } from '../../comments/hours.ts'
import { normalizeDate } from './text-rules.ts'

/** The parameter of hours: a number, or its digits. The verb refuses anything else. */
export function hoursInput() {
  return oneValue().meta({ type: 'number' }).optional()
}

type HoursInput = {
  readonly deadline?: string | null
  readonly estimated_time?: unknown
  readonly remaining_time?: unknown
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
  const saysRemaining = textOfAny(input.remaining_time ?? '').trim() !== ''
  return {
    deadline: normalizeDate('deadline', input.deadline ?? ''),
    estimatedTime,
    remainingTime: saysRemaining
      ? parseHours('remaining_time', input.remaining_time)
      : estimatedTime,
  }
}
