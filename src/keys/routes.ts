import { type Operation, operation } from '../http/operation.ts'
import { createKey, createKeyInput, createKeyOutput } from './create.ts'
import { listKeys, listKeysInput, listKeysOutput } from './list.ts'
import { revokeKey, revokeKeyInput, revokeKeyOutput } from './revoke.ts'
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
      faults: ['notAuthorized', 'userUnknown'],
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
      faults: ['notAuthorized', 'userUnknown', 'valueBlank'],
      status: 201,
      login: true,
    },
    createKey,
  ),
  operation(
    {
      method: 'PUT',
      path: '/api_key/:id',
      summary: 'Describe, revoke or restore an API key',
      reference: 'api-keys.md#change-an-api-key',
      input: updateKeyInput,
      output: updateKeyOutput,
      faults: ['apiKeyUnknown', 'valueBlank'],
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
      faults: ['apiKeyUnknown'],
      login: true,
    },
    revokeKey,
  ),
]
