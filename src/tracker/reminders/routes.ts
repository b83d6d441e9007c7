import type { Operation } from '../../platform/http/operations/operation.ts'
import { createReminder } from './create.ts'
import { getReminder, listReminders } from './get.ts'
import { removeReminder } from './remove.ts'

export const reminderOperations: Operation[] = [
  listReminders,
  getReminder,
  createReminder,
  removeReminder,
]
