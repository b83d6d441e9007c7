import { type Operation, operation } from '../http/operation.ts'
import { configuration, configurationInput, configurationOutput } from './configuration.ts'
import { extensions, extensionsInput, extensionsOutput } from './extensions.ts'
import { lastAuditTime, lastAuditTimeInput, lastAuditTimeOutput } from './last-audit-time.ts'
import { parameters, parametersInput, parametersOutput } from './parameters.ts'
import { time, timeInput, timeOutput } from './time.ts'
import { timezone, timezoneInput, timezoneOutput } from './timezone.ts'
import { version, versionInput, versionOutput } from './version.ts'

const INFORMATION = 'Parameters and server information'

export const serverOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/version',
      summary: 'Tell the version of the service',
      heading: 'Version',
      input: versionInput,
      output: versionOutput,
      faults: [],
      credentials: 'password',
      isConstant: true,
    },
    version,
  ),
  operation(
    {
      method: 'GET',
      path: '/extensions',
      summary: 'List the extensions of the service',
      heading: INFORMATION,
      input: extensionsInput,
      output: extensionsOutput,
      faults: [],
    },
    extensions,
  ),
  operation(
    {
      method: 'GET',
      path: '/timezone',
      summary: 'Tell the offset of the service from UTC',
      heading: INFORMATION,
      input: timezoneInput,
      output: timezoneOutput,
      faults: [],
      credentials: 'password',
      isConstant: true,
    },
    timezone,
  ),
  operation(
    {
      method: 'GET',
      path: '/time',
      summary: 'Tell what time it is for the service',
      heading: INFORMATION,
      input: timeInput,
      output: timeOutput,
      faults: [],
    },
    time,
  ),
  operation(
    {
      method: 'GET',
      path: '/parameters',
      summary: 'Tell how the tracker is set up',
      heading: INFORMATION,
      input: parametersInput,
      output: parametersOutput,
      faults: [],
    },
    parameters,
  ),
  operation(
    {
      method: 'GET',
      path: '/last_audit_time',
      summary: 'Tell when the structure of the tracker was last changed',
      heading: INFORMATION,
      input: lastAuditTimeInput,
      output: lastAuditTimeOutput,
      faults: [],
    },
    lastAuditTime,
  ),
  operation(
    {
      method: 'GET',
      path: '/configuration',
      summary: 'Tell of products, fields and the workflow in one answer',
      heading: INFORMATION,
      input: configurationInput,
      output: configurationOutput,
      faults: [],
    },
    configuration,
  ),
]
