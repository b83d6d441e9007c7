import { defineFaults } from '../../platform/faults/fault.ts'

export const { reminderUnknown, tooManyReminders } = defineFaults({
  reminderUnknown: [51, "You have no reminder with the ID '{id}'."],
  tooManyReminders: [
    32000,
    'You may have at most {most} reminders that are still to be sent (REMINDER_LIMIT); remove some of them first.',
  ],
})
