import { type Operation, operation } from '../http/operation.ts'
import { version, versionInput, versionOutput } from './version.ts'

export const serverOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/version',
      summary: 'Tell the version of the service',
      heading: 'Version',
      input: versionInput,
      output: versionOutput,
      heed: 'password',
    },
    version,
  ),
]
