import { putFirstReferenceInPath } from '../path-parameters.ts'
import type { RpcMethods } from '../types.ts'

export const peopleMethods: RpcMethods = {
  'User.login': { operation: 'GET /login', takesLogin: true, isWrite: true },
  'User.logout': { operation: 'GET /logout', isWrite: true },
  'User.valid_login': { operation: 'GET /valid_login' },
  'User.whoami': { operation: 'GET /whoami' },
  'User.get': { operation: 'GET /user' },
  'User.suggest': { operation: 'GET /user/suggest' },
  'User.create': { operation: 'POST /user' },
  'User.update': { operation: 'PUT /user/:id_or_name', toParameters: putFirstReferenceInPath },

  'Group.get': { operation: 'GET /group' },
  'Group.create': { operation: 'POST /group' },
  'Group.update': { operation: 'PUT /group/:id_or_name', toParameters: putFirstReferenceInPath },
}
