import { notAuthorized, productDenied } from '../../platform/access/faults.ts'
import type { AnyFault } from '../../platform/faults/fault.ts'
import { valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { userUnknown } from '../users/faults.ts'
import {
  assertMayCreateComponent,
  createComponent,
  createComponentInput,
  createComponentOutput,
} from './create.ts'
import {
  componentNameTaken,
  componentNameTooLong,
  componentUnknown,
  productPartUnknown,
} from './faults.ts'
import { getComponent, getComponentInput, getComponentOutput } from './get.ts'
import {
  assertMayUpdateComponent,
  updateComponent,
  updateComponentInput,
  updateComponentOutput,
} from './update.ts'

const createComponentFaults: readonly AnyFault[] = [
  componentNameTaken,
  componentNameTooLong,
  notAuthorized,
  productDenied,
  userUnknown,
  valueBlank,
]

const reading = {
  reference: 'products.md#get-a-component',
  input: getComponentInput,
  output: getComponentOutput,
  faults: [productDenied, productPartUnknown],
} as const
const creating = {
  reference: 'products.md#create-a-component',
  input: createComponentInput,
  output: createComponentOutput,
  faults: createComponentFaults,
  login: true,
  right: assertMayCreateComponent,
} as const
const updating = {
  reference: 'products.md#change-a-component',
  input: updateComponentInput,
  output: updateComponentOutput,
  faults: [...createComponentFaults, componentUnknown, productPartUnknown],
  login: true,
  right: assertMayUpdateComponent,
} as const

export const componentOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/component/:product/:component{.+}',
      summary: 'Read one component',
      ...reading,
    },
    getComponent,
  ),
  operation(
    {
      method: 'GET',
      path: '/component',
      summary: 'Read one component of a product whose name may hold a slash',
      ...reading,
    },
    getComponent,
  ),
  operation(
    {
      method: 'PUT',
      path: '/component/:product/:component{.+}',
      summary: 'Change a component',
      ...updating,
    },
    updateComponent,
  ),
  operation(
    {
      method: 'PUT',
      path: '/component',
      summary: 'Change a component of a product whose name may hold a slash',
      ...updating,
    },
    updateComponent,
  ),
  operation(
    {
      method: 'POST',
      path: '/component/:product{.+}',
      summary: 'Create a component',
      ...creating,
    },
    createComponent,
  ),
  operation(
    {
      method: 'PUT',
      path: '/component/:product{.+}',
      summary: 'Change the component with this ID',
      ...updating,
    },
    updateComponent,
  ),
  operation(
    {
      method: 'POST',
      path: '/component',
      summary: 'Create a component, its product named in query or body',
      ...creating,
    },
    createComponent,
  ),
]
