import { bugAccessFaults } from '../../platform/access/faults.ts'
import { idMalformed, offsetWithoutLimit, textTooLong } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { createReminder, createReminderInput, createReminderOutput } from './create.ts'
import { reminderUnknown, tooManyReminders } from './faults.ts'
import {
  getReminder,
  getReminderInput,
  getReminderOutput,
  listReminders,
  listRemindersInput,
  listRemindersOutput,
} from './get.ts'
import { removeReminder, removeReminderInput, removeReminderOutput } from './remove.ts'

export const reminderOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/reminder',
      summary: 'List the reminders of the caller',
      reference: 'reminders.md#list-reminders',
      input: listRemindersInput,
      output: listRemindersOutput,
      faults: [offsetWithoutLimit],
      login: true,
    },
    listReminders,
  ),
  operation(
    {
      method: 'GET',
      path: '/reminder/:id',
      summary: 'Read a reminder of the caller',
      reference: 'reminders.md#get-a-reminder',
      input: getReminderInput,
      output: getReminderOutput,
      faults: [idMalformed, reminderUnknown],
      login: true,
    },
    getReminder,
  ),
  operation(
    {
      method: 'POST',
      path: '/reminder',
      summary: 'Order a mail about a bug for a day',
      reference: 'reminders.md#set-a-reminder',
      input: createReminderInput,
      output: createReminderOutput,
      faults: [...bugAccessFaults, textTooLong, tooManyReminders],
      login: true,
    },
    createReminder,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/reminder/:id',
      summary: 'Remove a reminder of the caller',
      reference: 'reminders.md#remove-a-reminder',
      input: removeReminderInput,
      output: removeReminderOutput,
      faults: [idMalformed],
      login: true,
    },
    removeReminder,
  ),
]
