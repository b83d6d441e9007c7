import type { Operation } from '../../platform/http/operations/operation.ts'
import { createUser } from './create.ts'
import { getUser, getUsers } from './get.ts'
import { checkLogin, login, logout } from './login.ts'
import { endOtherSessions, endSession } from './sessions/end.ts'
import { listSessions } from './sessions/list.ts'
import { suggestUsers } from './suggest.ts'
import { updateUsers } from './update.ts'
import { getCaller } from './whoami.ts'

export const userOperations: Operation[] = [
  login,
  logout,
  checkLogin,
  getCaller,
  getUsers,
  suggestUsers,
  getUser,
  createUser,
  updateUsers,
  listSessions,
  endOtherSessions,
  endSession,
]
