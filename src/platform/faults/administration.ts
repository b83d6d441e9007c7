import { entry } from './entry.ts'

/** The faults of administered objects: products, flag types, groups, people and their credentials. */
export const administrationFaults = {
  // products
  productNameBlank: entry(700, 'A product needs a name.'),
  productNameTooLong: entry<{ most: number }>(
    701,
    (d) => `The name of a product may have at most ${d.most} characters.`,
  ),
  productNameTaken: entry<{ name: string }>(
    702,
    (d) => `There is a product named '${d.name}' already.`,
  ),
  productsNotOneName: entry(702, 'Several products cannot be given one name.'),
  productDescriptionMissing: entry(703, 'A product needs a description.'),
  classificationMissing: entry<{ names: string }>(
    50,
    ({ names }) =>
      `The parameter 'classification' is required${names === '' ? '' : `, one of: ${names}`}.`,
  ),
  defaultMilestoneMissing: entry(705, 'A product needs a default milestone of its own.'),
  defaultVersionMissing: entry(706, 'A product needs a default version of its own.'),

  // flag types
  flagTypeIdUnknown: entry<{ id: number }>(51, (d) => `There is no flag type with the ID ${d.id}.`),
  flagTypeNameInvalid: entry<{ most: number }>(
    1101,
    (d) => `The name of a flag type has 1 to ${d.most} characters, no white space and no comma.`,
  ),
  flagTypeDescriptionMissing: entry(1102, 'A flag type needs a description.'),
  flagTypeCcTooLong: entry<{ most: number }>(
    1103,
    (d) => `The CC list of a flag type may have at most ${d.most} characters.`,
  ),
  flagTypeSortKeyInvalid: entry<{ value: string }>(
    1104,
    (d) => `'sortkey' must be a whole number from 0 to 32767, not '${d.value}'.`,
  ),
  flagTypeNotEditable: entry<{ flag: string }>(
    1105,
    (d) => `You may not edit the flag type '${d.flag}': it applies to products that are not yours.`,
  ),

  // the structure of products
  componentNameTaken: entry<{ name: string; product: string }>(
    1200,
    (d) => `There is a component named '${d.name}' in the product '${d.product}' already.`,
  ),
  nameTaken: entry<{ kind: string; name: string }>(
    32000,
    (d) => `There is a ${d.kind} named '${d.name}' already.`,
  ),
  objectProtected: entry<{ kind: string; name: string; reason: string }>(
    32000,
    (d) => `The ${d.kind} '${d.name}' cannot be changed like that: ${d.reason}.`,
  ),
  objectInUse: entry<{ kind: string; name: string; by: string }>(
    32000,
    (d) => `The ${d.kind} '${d.name}' cannot be removed: ${d.by}.`,
  ),

  tooManyBugs: entry<{ most: number }>(
    32000,
    (d) =>
      `This concerns more than ${d.most} bugs; change the groups of most of them by themselves first.`,
  ),

  undeliveredUnknown: entry<{ id: string }>(
    51,
    (d) => `Nothing with the ID '${d.id}' waits or was given up.`,
  ),

  // groups
  groupNameBlank: entry(800, 'A group needs a name.'),
  groupNameTaken: entry<{ name: string }>(
    801,
    (d) => `There is a group named '${d.name}' already.`,
  ),
  groupNameForSeveral: entry(801, 'Only one group at a time can be given a new name.'),
  groupDescriptionMissing: entry(802, 'A group needs a description.'),
  groupRegexpInvalid: entry<{ regexp: string }>(
    803,
    (d) => `'${d.regexp}' is not a regular expression that can be used here.`,
  ),
  groupNameInvalid: entry<{ name: string }>(804, (d) => `There is no group named '${d.name}'.`),
  groupProtected: entry<{ group: string }>(
    32000,
    (d) => `The group '${d.group}' keeps its rights over every group.`,
  ),
  groupsDenied: entry(805, 'You are not allowed to see these groups or their members.'),

  // webhooks
  webhookUnknown: entry<{ id: number }>(51, (d) => `There is no webhook with the ID ${d.id}.`),
  webhookDeliveryUnknown: entry<{ id: number }>(
    51,
    (d) => `There is no delivery with the ID ${d.id}.`,
  ),
  webhookDeliveryTooOld: entry<{ id: number }>(
    32000,
    (d) => `Delivery ${d.id} is too old to be sent again.`,
  ),
  webhookDisabled: entry<{ name: string }>(
    32000,
    (d) => `The webhook '${d.name}' is disabled; enable it first.`,
  ),
  tooManyWebhooks: entry<{ most: number }>(
    32000,
    (d) => `You may have at most ${d.most} webhooks; remove some of them first.`,
  ),
  tooManyReminders: entry<{ most: number }>(
    32000,
    (d) =>
      `You may have at most ${d.most} reminders that are still to be sent (REMINDER_LIMIT); remove some of them first.`,
  ),

  // people and credentials
  badLogin: entry<{ hint: string }>(
    300,
    (d) => `The username or password you entered is not valid.${d.hint}`,
  ),
  accountDisabled: entry<{ reason: string }>(301, (d) => `Your account is disabled: ${d.reason}`),
  loginLocked: entry<{ what: 'account' | 'address'; until: string }>(
    301,
    (d) => `Too many wrong passwords: this ${d.what} is locked until ${d.until}.`,
  ),
  notAuthorized: entry<{ action: string }>(304, (d) => `You are not authorized to ${d.action}.`),
  newPasswordRequired: entry(305, 'You must set a new password before you can log in.'),
  apiKeyInvalid: entry(306, 'The API key you presented is not valid.'),
  apiKeyRevoked: entry(306, 'The API key you presented has been revoked.'),
  apiKeyExpired: entry<{ at: string }>(
    306,
    (d) =>
      `The API key you presented expired at ${d.at}. Make a new one with POST /rest/api_key; before it expires, POST /rest/api_key/{id}/rotate replaces a key.`,
  ),
  keyMayNotWrite: entry(
    304,
    "The API key you presented may only read: it lacks the scope 'write'. Its owner makes a key with that scope by POST /rest/api_key.",
  ),
  keyMayNotAdminister: entry<{ refusal: string }>(
    304,
    (d) =>
      `${d.refusal} The API key you presented lacks the scope 'admin': if its owner may do this as an administrator, make a key with that scope by POST /rest/api_key.`,
  ),
  keyIsForProducts: entry(
    304,
    'The API key you presented is for some products only, and this goes beyond them. Its owner makes a key without `products` by POST /rest/api_key.',
  ),
  keyMayNotManageKeys: entry(
    304,
    'The API key you presented is limited, and so it manages no key but itself. Use a key with all scopes for all products, or log in.',
  ),
  tokenInvalid: entry(307, 'The token you presented is not valid or has expired.'),
  loginRequired: entry(410, 'You must log in before using this part of the service.'),
  loginTaken: entry<{ login: string }>(
    500,
    (d) => `There is an account with the login '${d.login}' already.`,
  ),
  emailInvalid: entry<{ email: string }>(501, (d) => `'${d.email}' is no e-mail address.`),
  passwordTooShort: entry<{ least: number }>(
    502,
    (d) => `The password is too short; it needs ${d.least} characters.`,
  ),
  passwordTooSimple: entry(
    305,
    'The password is too simple: mix cases, digits and signs, or use four different words.',
  ),
  loginForSeveral: entry(500, 'Only one account at a time can be given a new e-mail address.'),
  userIdsNeedLogin: entry(
    505,
    "Logged-out callers may look users up by name only, not by 'ids' or 'match'.",
  ),
} as const
