import type { Operation } from '../../platform/http/operations/operation.ts'
import { createKey } from './create.ts'
import { listKeys } from './list.ts'
import { revokeKey } from './revoke.ts'
import { rotateKey } from './rotate.ts'
import { updateKey } from './update.ts'

export const keyOperations: Operation[] = [listKeys, createKey, updateKey, revokeKey, rotateKey]
