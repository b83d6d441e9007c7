import type { Operation } from '../../platform/http/operations/operation.ts'
import { beginSecondFactor } from './account/begin-second-factor.ts'
import { confirmEmail } from './account/confirm-email.ts'
import { removeSecondFactor } from './account/remove-second-factor.ts'
import { confirmSecondFactor, getSecondFactor } from './account/second-factor.ts'
import { setPassword } from './account/set-password.ts'
import { createUser } from './create.ts'
import { getUser, getUsers } from './get.ts'
import { register, requestPassword } from './links/request.ts'
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
  requestPassword,
  setPassword,
  confirmEmail,
  getSecondFactor,
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  register,
]
