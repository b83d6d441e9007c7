import { bugAccessFaults, notAuthorized, productDenied } from '../../platform/access/faults.ts'
import type { Ctx } from '../../platform/context.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'
import { productPartUnknown } from '../components/faults.ts'
import { userIdUnknown, userUnknown } from '../users/faults.ts'
import { getPreferences, getPreferencesInput, getPreferencesOutput } from './get.ts'
import { resolveOwner } from './owner.ts'
import { updatePreferences, updatePreferencesInput, updatePreferencesOutput } from './update.ts'

function assertMayUse({ caller }: Ctx, { id_or_name }: Parameters): void {
  resolveOwner(caller, String(id_or_name))
}

export const preferencesOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/user/:id_or_name/preferences',
      summary: 'Read which mail an account gets, and whom and what it watches',
      reference: 'preferences.md#get-preferences',
      input: getPreferencesInput,
      output: getPreferencesOutput,
      faults: [notAuthorized, userIdUnknown, userUnknown],
      login: true,
      right: assertMayUse,
    },
    getPreferences,
  ),
  operation(
    {
      method: 'PUT',
      path: '/user/:id_or_name/preferences',
      summary: 'Change which mail an account gets, and whom and what it watches',
      reference: 'preferences.md#change-preferences',
      input: updatePreferencesInput,
      output: updatePreferencesOutput,
      faults: [
        ...bugAccessFaults,
        notAuthorized,
        productDenied,
        productPartUnknown,
        userIdUnknown,
        userUnknown,
      ],
      login: true,
      scope: 'write-all-products',
      right: assertMayUse,
    },
    updatePreferences,
  ),
]
