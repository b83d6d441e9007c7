import type { Operation } from '../../platform/http/operations/operation.ts'
import { getAudit } from './audit.ts'
import { getConfiguration } from './configuration.ts'
import { getExtensions } from './extensions.ts'
import { getLastAuditTime } from './last-audit-time.ts'
import { getParameters } from './parameters.ts'
import { getTime } from './time.ts'
import { getTimezone } from './timezone.ts'
import { getVersion } from './version.ts'

export const serverOperations: Operation[] = [
  getVersion,
  getExtensions,
  getTimezone,
  getTime,
  getParameters,
  getLastAuditTime,
  getAudit,
  getConfiguration,
]
