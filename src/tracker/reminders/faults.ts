import { defineFault } from '../../platform/faults/fault.ts'

export const reminderUnknown = defineFault<{ id: string }>(
  'reminderUnknown',
  51,
  (d) => `You have no reminder with the ID '${d.id}'.`,
)
export const tooManyReminders = defineFault<{ most: number }>(
  'tooManyReminders',
  32000,
  (d) =>
    `You may have at most ${d.most} reminders that are still to be sent (REMINDER_LIMIT); remove some of them first.`,
)
