import {
  apiKeyFaults,
  groupUnknown,
  notAuthorized,
  passwordFaults,
} from '../../platform/access/faults.ts'
import { busy } from '../../platform/db/faults.ts'
import type { AnyFault } from '../../platform/faults/fault.ts'
import { emailInvalid, valueBlank } from '../../platform/faults/parameters.ts'
import { type Operation, operation } from '../../platform/http/operations/operation.ts'
import { assertMayCreateUser, createUser, createUserInput, createUserOutput } from './create.ts'
import {
  groupNameInvalid,
  loginForSeveral,
  loginTaken,
  passwordTooShort,
  passwordTooSimple,
  userIdsNeedLogin,
  userIdUnknown,
  userUnknown,
} from './faults.ts'
import { getUserInput, getUsers, getUsersInput, getUsersOutput } from './get.ts'
import {
  checkLogin,
  login,
  loginInput,
  loginOutput,
  logout,
  logoutInput,
  logoutOutput,
  validLoginInput,
  validLoginOutput,
} from './login.ts'
import { suggestUsers, suggestUsersInput, suggestUsersOutput } from './suggest.ts'
import { assertMayUpdateUsers, updateUserInput, updateUserOutput, updateUsers } from './update.ts'
import { getCaller, whoamiInput, whoamiOutput } from './whoami.ts'

const getUserFaults: readonly AnyFault[] = [
  groupNameInvalid,
  groupUnknown,
  notAuthorized,
  userIdsNeedLogin,
  userUnknown,
]

/** The address and the password of an account. */
const accountFaults: readonly AnyFault[] = [
  emailInvalid,
  loginTaken,
  notAuthorized,
  passwordTooShort,
  passwordTooSimple,
]

export const userOperations: Operation[] = [
  operation(
    {
      method: 'GET',
      path: '/login',
      summary: 'Exchange a login and its password for a token',
      reference: 'users.md#log-in',
      input: loginInput,
      output: loginOutput,
      faults: [...passwordFaults, busy],
      credentials: 'ignored',
    },
    login,
  ),
  operation(
    {
      method: 'GET',
      path: '/logout',
      summary: 'Invalidate a token',
      reference: 'users.md#log-out',
      input: logoutInput,
      output: logoutOutput,
      faults: [],
      credentials: 'ignored',
    },
    logout,
  ),
  operation(
    {
      method: 'GET',
      path: '/valid_login',
      summary: 'Tell whether a token is valid for a login',
      reference: 'users.md#check-a-login',
      input: validLoginInput,
      output: validLoginOutput,
      faults: [...passwordFaults, ...apiKeyFaults],
      credentials: 'ignored',
    },
    checkLogin,
  ),
  operation(
    {
      method: 'GET',
      path: '/whoami',
      summary: 'Tell whom the credentials belong to',
      reference: 'users.md#get-the-caller',
      input: whoamiInput,
      output: whoamiOutput,
      faults: [],
      login: true,
    },
    getCaller,
  ),
  operation(
    {
      method: 'GET',
      path: '/user',
      summary: 'Find accounts by ID, login or part of a name',
      reference: 'users.md#find-users',
      input: getUsersInput,
      output: getUsersOutput,
      faults: getUserFaults,
    },
    getUsers,
  ),
  operation(
    {
      method: 'GET',
      path: '/user/suggest',
      summary: 'Suggest accounts for a text that somebody is typing',
      reference: 'users.md#suggest-users',
      input: suggestUsersInput,
      output: suggestUsersOutput,
      faults: [valueBlank],
      login: true,
    },
    suggestUsers,
  ),
  operation(
    {
      method: 'GET',
      path: '/user/:id_or_name',
      summary: 'Read one account',
      reference: 'users.md#find-users',
      input: getUserInput,
      output: getUsersOutput,
      faults: getUserFaults,
    },
    getUsers,
  ),
  operation(
    {
      method: 'POST',
      path: '/user',
      summary: 'Create an account',
      reference: 'users.md#create-a-user',
      input: createUserInput,
      output: createUserOutput,
      faults: accountFaults,
      status: 201,
      right: assertMayCreateUser,
    },
    createUser,
  ),
  operation(
    {
      method: 'PUT',
      path: '/user/:id_or_name',
      summary: 'Change accounts and their groups',
      reference: 'users.md#change-users',
      input: updateUserInput,
      output: updateUserOutput,
      faults: [...accountFaults, loginForSeveral, userIdUnknown, userUnknown],
      login: true,
      right: assertMayUpdateUsers,
    },
    updateUsers,
  ),
]
