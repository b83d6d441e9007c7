import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { rpcMethodUnknown } from './faults.ts'
import { bugMethods } from './methods/bug.ts'
import { peopleMethods } from './methods/people.ts'
import { productMethods } from './methods/products.ts'
import { serverMethods } from './methods/server.ts'
import { itemsOfList } from './path-parameters.ts'
import type { RpcMethod, RpcMethods, RpcTarget } from './types.ts'

export const METHODS: RpcMethods = {
  ...bugMethods,
  ...peopleMethods,
  ...productMethods,
  ...serverMethods,
}

/** Where else to turn with what other servers have a method for. */
const HINTS: ReadonlyMap<string, (settings: Settings) => string> = new Map([
  [
    'User.offer_account_by_email',
    ({ ALLOW_REGISTRATION }) =>
      ALLOW_REGISTRATION
        ? ' People make their accounts on the page /account/new.'
        : ' Accounts are made by an administrator, with User.create.',
  ],
])

export function requireMethod(name: string, settings: Settings): RpcMethod {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (method === undefined) {
    throw fault(rpcMethodUnknown, {
      method: name.slice(0, 100),
      hint: HINTS.get(name)?.(settings) ?? '',
    })
  }
  return method
}

/**
 * What serves a call of the method with these parameters. Refuses parameters that different operations serve.
 */
export function chooseTarget(method: RpcMethod, given: Parameters): RpcTarget {
  const [chosen] = Object.entries(method.whenGiven ?? {}).filter(([name]) => isGiven(given[name]))
  if (chosen === undefined) {
    const isEmpty = Array.isArray(given.ids) && given.ids.length === 0
    return isEmpty && method.whenEmpty !== undefined ? method.whenEmpty : method
  }
  const [name, target] = chosen
  if (LISTS_WITHIN_BUGS.includes(name) && isGiven(given.ids)) {
    throw invalidParameter(name, 'cannot be combined with ids')
  }
  return target
}

/** Parameters that name what belongs to bugs, beside `ids` for the bugs themselves. */
const LISTS_WITHIN_BUGS: readonly string[] = ['comment_ids', 'attachment_ids']

function isGiven(value: unknown): boolean {
  return value !== '' && itemsOfList(value).length > 0
}
