import type { Context } from 'hono'
import { Fault, fault } from '../faults.ts'
import type { AppEnv } from './app-env.ts'

/**
 * Turns whatever was thrown into the error object of the contract ("Errors"). The unforeseen becomes
 * -32000 with the ID of the request; what it was is logged, without parameters, and never answered.
 */
export function onFault(error: unknown, c: Context<AppEnv>): Response {
  const told = error instanceof Fault ? error : unforeseen(error, c)
  const response = c.json({ error: true, message: told.message, code: told.code }, told.status)
  if (told.status === 429 || told.status === 503) {
    response.headers.set('retry-after', told.status === 429 ? '60' : '1')
  }
  return response
}

function unforeseen(error: unknown, c: Context<AppEnv>): Fault {
  const requestId = c.get('requestId')
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  // the message of a query error repeats every bound parameter
  const carriesParameters = name.includes('Query') || message.startsWith('Failed query')
  const frames = stack?.split('\n').filter((line) => line.trim().startsWith('at '))
  const log = {
    level: 'error',
    requestId,
    method: c.req.method,
    path: c.req.path,
    name,
    message: carriesParameters ? undefined : message,
    frames: frames?.slice(0, 12),
  }
  console.error(JSON.stringify(log))
  return fault('unforeseen', { requestId })
}
