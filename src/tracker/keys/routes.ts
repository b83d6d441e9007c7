import { notAuthorized, productDenied } from '../../platform/access/faults.ts'
import { valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { userUnknown } from '../users/faults.ts'
import { createKey, createKeyInput, createKeyOutput } from './create.ts'
import { apiKeyUnknown, keyMayNotManageKeys } from './faults.ts'
import { listKeys, listKeysInput, listKeysOutput } from './list.ts'
import { revokeKey, revokeKeyInput, revokeKeyOutput } from './revoke.ts'
import { rotateKey, rotateKeyInput, rotateKeyOutput } from './rotate.ts'
import { updateKey, updateKeyInput, updateKeyOutput } from './update.ts'

export const keyOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/api_key',
      summary: 'List API keys',
      reference: 'api-keys.md#list-api-keys',
      input: listKeysInput,
      output: listKeysOutput,
      faults: [notAuthorized, userUnknown],
      login: true,
    },
    listKeys,
  ),
  operation(
    {
      method: 'POST',
      path: '/api_key',
      summary: 'Create an API key, which is shown this once',
      reference: 'api-keys.md#create-an-api-key',
      input: createKeyInput,
      output: createKeyOutput,
      faults: [keyMayNotManageKeys, notAuthorized, productDenied, userUnknown, valueBlank],
      status: 201,
      login: true,
    },
    createKey,
  ),
  operation(
    {
      method: 'PUT',
      path: '/api_key/:id',
      summary: 'Describe, limit, revoke or restore an API key',
      reference: 'api-keys.md#change-an-api-key',
      input: updateKeyInput,
      output: updateKeyOutput,
      faults: [apiKeyUnknown, keyMayNotManageKeys, productDenied, valueBlank],
      login: true,
    },
    updateKey,
  ),
  operation(
    {
      method: 'DELETE',
      path: '/api_key/:id',
      summary: 'Revoke an API key',
      reference: 'api-keys.md#revoke-an-api-key',
      input: revokeKeyInput,
      output: revokeKeyOutput,
      faults: [apiKeyUnknown, keyMayNotManageKeys],
      // any key may end itself
      scope: 'read',
      login: true,
    },
    revokeKey,
  ),
  operation(
    {
      method: 'POST',
      path: '/api_key/:id/rotate',
      summary: 'Replace an API key by a new one, with some time for both',
      reference: 'api-keys.md#rotate-an-api-key',
      input: rotateKeyInput,
      output: rotateKeyOutput,
      faults: [apiKeyUnknown, keyMayNotManageKeys],
      status: 201,
      // any key may replace itself
      scope: 'read',
      login: true,
    },
    rotateKey,
  ),
]
