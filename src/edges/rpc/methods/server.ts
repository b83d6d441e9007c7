import type { RpcMethods } from '../types.ts'

export const serverMethods: RpcMethods = {
  'Bugzilla.version': { operation: 'GET /version' },
  'Bugzilla.extensions': { operation: 'GET /extensions' },
  'Bugzilla.time': { operation: 'GET /time' },
  'Bugzilla.timezone': { operation: 'GET /timezone' },
  'Bugzilla.parameters': { operation: 'GET /parameters' },
  'Bugzilla.last_audit_time': { operation: 'GET /last_audit_time' },
}
