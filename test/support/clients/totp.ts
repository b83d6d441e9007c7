import { Secret, TOTP } from 'otpauth'

/** What the app of somebody shows, `ahead` codes later than now. */
export function codeOf(secret: string, ahead = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return totp.generate({ timestamp: Date.now() + ahead * 30_000 })
}
