import { notAuthorized } from '../../platform/access/faults.ts'
import { numberTooLarge, offsetWithoutLimit } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { userUnknown } from '../../tracker/users/faults.ts'
import { assertMayReadAudit, auditInput, auditOutput, getAudit } from './audit.ts'
import { configurationInput, configurationOutput, getConfiguration } from './configuration.ts'
import { extensionsInput, extensionsOutput, getExtensions } from './extensions.ts'
import { getLastAuditTime, lastAuditTimeInput, lastAuditTimeOutput } from './last-audit-time.ts'
import { getParameters, parametersInput, parametersOutput } from './parameters.ts'
import { getTime, timeInput, timeOutput } from './time.ts'
import { getTimezone, timezoneInput, timezoneOutput } from './timezone.ts'
import { getVersion, versionInput, versionOutput } from './version.ts'

export const serverOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/version',
      summary: 'Tell the version of the service',
      reference: 'server.md#get-the-version',
      input: versionInput,
      output: versionOutput,
      faults: [],
      credentials: 'password',
      isConstant: true,
    },
    getVersion,
  ),
  operation(
    {
      method: 'GET',
      path: '/extensions',
      summary: 'List the extensions of the service',
      reference: 'server.md#get-the-extensions',
      input: extensionsInput,
      output: extensionsOutput,
      faults: [],
    },
    getExtensions,
  ),
  operation(
    {
      method: 'GET',
      path: '/timezone',
      summary: 'Tell the offset of the service from UTC',
      reference: 'server.md#get-the-time-zone',
      input: timezoneInput,
      output: timezoneOutput,
      faults: [],
      credentials: 'password',
      isConstant: true,
    },
    getTimezone,
  ),
  operation(
    {
      method: 'GET',
      path: '/time',
      summary: 'Tell what time it is for the service',
      reference: 'server.md#get-the-time',
      input: timeInput,
      output: timeOutput,
      faults: [],
      isVolatile: true,
    },
    getTime,
  ),
  operation(
    {
      method: 'GET',
      path: '/parameters',
      summary: 'Tell how the tracker is set up',
      reference: 'server.md#get-the-parameters',
      input: parametersInput,
      output: parametersOutput,
      faults: [],
    },
    getParameters,
  ),
  operation(
    {
      method: 'GET',
      path: '/last_audit_time',
      summary: 'Tell when the structure of the tracker was last changed',
      reference: 'server.md#get-the-time-of-the-last-change',
      input: lastAuditTimeInput,
      output: lastAuditTimeOutput,
      faults: [],
      isVolatile: true,
    },
    getLastAuditTime,
  ),
  operation(
    {
      method: 'GET',
      path: '/audit',
      summary: 'Read who changed the structure of the tracker',
      reference: 'server.md#read-the-audit-log',
      input: auditInput,
      output: auditOutput,
      pages: 'linked',
      faults: [notAuthorized, numberTooLarge, offsetWithoutLimit, userUnknown],
      login: true,
      right: assertMayReadAudit,
    },
    getAudit,
  ),
  operation(
    {
      method: 'GET',
      path: '/configuration',
      summary: 'Tell of products, fields and the workflow in one answer',
      reference: 'server.md#get-the-configuration',
      input: configurationInput,
      output: configurationOutput,
      faults: [],
    },
    getConfiguration,
  ),
]
