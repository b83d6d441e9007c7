import { loggedIn } from '../../../platform/http/operations/operation.ts'
import { actOf, type PageRequest, redirectTo } from '../page.ts'
import { TAB_TITLES, type Tab, type TabName } from './tab.tsx'

const TABS: Readonly<Record<TabName, () => Promise<Tab>>> = {
  profile: async () => (await import('./profile.tsx')).profileTab,
  'second-factor': async () => (await import('./second-factor.tsx')).secondFactorTab,
  mail: async () => (await import('./mail.tsx')).mailTab,
  watching: async () => (await import('./watching.tsx')).watchingTab,
  searches: async () => (await import('./searches.tsx')).searchesTab,
  reminders: async () => (await import('./reminders.tsx')).remindersTab,
  keys: async () => (await import('./keys.tsx')).keysTab,
  webhooks: async () => (await import('./webhooks.tsx')).webhooksTab,
  sessions: async () => (await import('./sessions.tsx')).sessionsTab,
  permissions: async () => (await import('./permissions.tsx')).permissionsTab,
}

/** Names of tabs in older trackers, where they differ. */
const OLD_NAMES: Readonly<Record<string, TabName>> = {
  apikey: 'keys',
  email: 'mail',
  settings: 'mail',
  'saved-searches': 'searches',
  component_watch: 'watching',
  account: 'profile',
}

export async function showPreferences(request: PageRequest) {
  loggedIn.grant(request.ctx, {})
  const name = request.url.searchParams.get('tab') ?? ''
  if (Object.hasOwn(OLD_NAMES, name)) {
    return leadToTab(request)
  }
  return (await TABS[tabNamed(name) ?? 'profile']()).show(request)
}

export async function sendPreferences(request: PageRequest) {
  loggedIn.grant(request.ctx, {})
  const tab = tabNamed(request.path.tab ?? '')
  const send = tab === undefined ? {} : (await TABS[tab]()).send
  return actOf(request, send)(request)
}

export async function leadToTab({ url }: PageRequest) {
  const name = url.searchParams.get('tab') ?? ''
  const tab = Object.hasOwn(OLD_NAMES, name) ? OLD_NAMES[name] : tabNamed(name)
  return redirectTo(`/account?tab=${tab ?? 'profile'}`)
}

function tabNamed(name: string): TabName | undefined {
  return Object.hasOwn(TAB_TITLES, name) ? (name as TabName) : undefined
}
