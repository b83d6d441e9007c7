import { requireMaxLength } from '../../platform/faults/checks.ts'
import {
  emailInvalid,
  fault,
  invalidParameter,
  parameterMissing,
} from '../../platform/faults/fault.ts'
import { cleanBody, cleanLine, fold, lengthOf, localPart } from '../../platform/lib/text.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { isCommonPassword } from './common-passwords.ts'
import { passwordTooShort, passwordTooSimple } from './faults.ts'

/** ASCII with a dot behind the `@`, which mail delivery needs; every dot stands between other characters. */
const EMAIL_PATTERN = /^[\w+\-=]+(\.[\w+\-=]+)*@[\w-]+(\.[\w-]+)+$/
const MAX_EMAIL_LENGTH = 127
const MAX_REAL_NAME_LENGTH = 255
const MAX_REASON_LENGTH = 4000

/** The input that takes the password of an account away. */
const NO_PASSWORD = '*'

const CHARACTER_CLASSES = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{L}\p{N}]/u]
const MIN_FEATURES = 3
const MIN_WORDS = 4
const MIN_WORD_LENGTH = 3

/** Parses the login of an account, its e-mail address. */
export function parseLogin(email: string | undefined): string {
  const login = (email ?? '').trim()
  if (login === '') {
    throw fault(parameterMissing, { field: 'email' })
  }
  if (login.length > MAX_EMAIL_LENGTH || !EMAIL_PATTERN.test(login)) {
    throw fault(emailInvalid, { email: login.slice(0, MAX_EMAIL_LENGTH) })
  }
  return login
}

/** Parses a real name to one line, perhaps empty. */
export function parseRealName(text: string): string {
  return requireMaxLength('full_name', cleanLine(text), MAX_REAL_NAME_LENGTH)
}

/** Parses why an account is disabled; empty enables it. */
export function parseLoginDeniedText(text: string): string {
  return requireMaxLength('login_denied_text', cleanBody(text).trim(), MAX_REASON_LENGTH)
}

/** Parses a password as `requirePassword` does; null for a single star, which takes the password away. */
export function parsePassword(text: string, settings: Settings): string | null {
  return text.trim() === NO_PASSWORD ? null : requirePassword('password', text, settings)
}

/**
 * Parses a password and trims it. The settings of the site say how long and complex it must be; the most common ones
 * are refused.
 */
export function requirePassword(field: string, text: string, settings: Settings): string {
  const password = text.trim()
  const least = settings.PASSWORD_MIN_LENGTH
  if (lengthOf(password) < least) {
    throw fault(passwordTooShort, { least })
  }
  if (settings.PASSWORD_COMPLEXITY && !isComplex(password, least)) {
    throw fault(passwordTooSimple)
  }
  if (isCommonPassword(fold(password))) {
    throw invalidParameter(field, 'is one of the most common passwords, which are tried first')
  }
  return password
}

/** Refuses a password that is the login of its account, or what stands before the `@`. */
export function assertNoLogin(field: string, password: string, login: string): void {
  const folded = fold(password)
  if (folded === fold(login) || folded === localPart(fold(login))) {
    throw invalidParameter(field, 'must not be the login')
  }
}

/** Parses the password of a new account, which needs none: null when missing or blank. */
export function parseInitialPassword(text: string | undefined, settings: Settings): string | null {
  return (text ?? '').trim() === '' ? null : parsePassword(text ?? '', settings)
}

function isComplex(password: string, least: number): boolean {
  const words = password.split(/\s+/).filter((word) => lengthOf(word) >= MIN_WORD_LENGTH)
  const features = CHARACTER_CLASSES.filter((kind) => kind.test(password)).length
  const isLong = lengthOf(password) > least
  return new Set(words).size >= MIN_WORDS || features + (isLong ? 1 : 0) >= MIN_FEATURES
}
