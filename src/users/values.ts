import { fault } from '../faults.ts'
import { cleanBody, cleanLine, lengthOf } from '../lib/text.ts'
import type { Settings } from '../settings.ts'

/** ASCII with a dot behind the `@`, so that a mail can find its way. */
const EMAIL_PATTERN = /^[\w.+\-=]+@[\w.-]+\.[\w-]+$/
const MAX_EMAIL_LENGTH = 127
const MAX_REAL_NAME_LENGTH = 255
const MAX_REASON_LENGTH = 4000

/** A password that nobody can type: the account has none. */
const NO_PASSWORD = '*'

const CHARACTER_CLASSES = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{L}\p{N}]/u]
const MIN_FEATURES = 3
const MIN_WORDS = 4
const MIN_WORD_LENGTH = 3

/** The login of an account, which is its e-mail address. Faults 50 when blank, 501 when it is none. */
export function parseLogin(email: string | undefined): string {
  const login = (email ?? '').trim()
  if (login === '') {
    throw fault('parameterMissing', { field: 'email' })
  }
  if (login.length > MAX_EMAIL_LENGTH || !EMAIL_PATTERN.test(login)) {
    throw fault('emailInvalid', { email: login.slice(0, MAX_EMAIL_LENGTH) })
  }
  return login
}

/** A real name as one line, perhaps empty. Fault 53 when longer than 255 characters. */
export function parseRealName(given: string): string {
  return requireMaxLength('full_name', cleanLine(given), MAX_REAL_NAME_LENGTH)
}

/** Why an account is disabled; empty when it is not. Fault 53 when longer than 4,000 characters. */
export function parseLoginDeniedText(given: string): string {
  return requireMaxLength('login_denied_text', cleanBody(given).trim(), MAX_REASON_LENGTH)
}

/**
 * A password without the white space around it; null for a lone star, which takes the password away. What
 * a password has to be like is for the site to say. Contract "Users". Faults 502 when too short, 305 when
 * too simple.
 */
export function parsePassword(given: string, settings: Settings): string | null {
  const password = given.trim()
  if (password === NO_PASSWORD) {
    return null
  }
  const least = settings.PASSWORD_MIN_LENGTH
  if (lengthOf(password) < least) {
    throw fault('passwordTooShort', { least })
  }
  if (settings.PASSWORD_COMPLEXITY && !isComplex(password, least)) {
    throw fault('passwordTooSimple')
  }
  return password
}

/** The same for a new account, which may do without: null when nothing or nothing but blanks is given. */
export function parseInitialPassword(given: string | undefined, settings: Settings): string | null {
  return (given ?? '').trim() === '' ? null : parsePassword(given ?? '', settings)
}

function isComplex(password: string, least: number): boolean {
  const words = password.split(/\s+/).filter((word) => lengthOf(word) >= MIN_WORD_LENGTH)
  const features = CHARACTER_CLASSES.filter((kind) => kind.test(password)).length
  const isLong = lengthOf(password) > least
  return new Set(words).size >= MIN_WORDS || features + (isLong ? 1 : 0) >= MIN_FEATURES
}

function requireMaxLength(field: string, text: string, most: number): string {
  if (lengthOf(text) > most) {
    throw fault('parameterInvalid', { field, reason: `may have at most ${most} characters` })
  }
  return text
}
