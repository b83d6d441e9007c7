import { settingNames } from '../../src/platform/settings/settings.ts'

/** Settings that switch off the limits of public sites, for who runs a tracker for themselves. */
export const NO_RATE_LIMITS: Readonly<Record<string, string>> = Object.fromEntries(
  settingNames()
    .filter((name) => name.endsWith('_PER_MINUTE'))
    .map((name) => [name, '0']),
)
