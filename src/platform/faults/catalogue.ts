import { administrationFaults } from './administration.ts'
import { codehostFaults } from './codehost.ts'
import { entry } from './entry.ts'
import { protocolFaults } from './protocol.ts'
import { rpcFaults } from './rpc.ts'
import { searchFaults } from './search.ts'

type Field = { field: string }
type Value = { field: string; value: string }

/**
 * All faults, by a name that says what is wrong. Names are unique; several faults may share a number.
 * Reference: errors.md, "Table of errors".
 */
export const catalogue = {
  // parameters
  parameterMissing: entry<Field>(50, (d) => `The parameter '${d.field}' is required.`),
  valueBlank: entry<Field>(50, (d) => `The field '${d.field}' must have a value.`),
  offsetWithoutLimit: entry(50, "The parameter 'offset' needs the parameter 'limit'."),
  notAnInteger: entry<Value>(
    52,
    (d) => `'${d.field}' must be a whole number above zero, not '${d.value}'.`,
  ),
  notACount: entry<Value>(
    52,
    (d) => `'${d.field}' must be a whole number, 0 or more, not '${d.value}'.`,
  ),
  notANumber: entry<Value>(52, (d) => `'${d.field}' must be a number, not '${d.value}'.`),
  parameterInvalid: entry<Field & { reason: string }>(
    53,
    (d) => `The parameter '${d.field}' ${d.reason}.`,
  ),
  parameterUnknown: entry<Field>(53, (d) => `'${d.field}' is not a field of a new bug.`),
  fieldNotSettable: entry<Field>(
    53,
    (d) => `The field '${d.field}' cannot be set by this operation.`,
  ),
  fieldNotChangeable: entry<Field>(
    53,
    (d) => `The field '${d.field}' cannot be changed by this operation.`,
  ),
  numberTooLarge: entry<Value & { most: string }>(
    54,
    (d) => `'${d.field}' is ${d.value}; it may be at most ${d.most}.`,
  ),
  numberTooSmall: entry<Value & { least: string }>(
    55,
    (d) => `'${d.field}' is ${d.value}; it must be at least ${d.least}.`,
  ),
  dateInvalid: entry<Value>(
    56,
    (d) => `'${d.value}' in '${d.field}' is not a date; write YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ.`,
  ),
  bodyTooLarge: entry<{ limitKb: number }>(
    58,
    (d) => `The request body is larger than ${d.limitKb} KB.`,
  ),

  // named objects
  userUnknown: entry<{ login: string }>(51, (d) => `There is no user named '${d.login}'.`),
  userIdUnknown: entry<{ id: number }>(51, (d) => `There is no user with the ID ${d.id}.`),
  productPartUnknown: entry<{ kind: string; name: string; product: string }>(
    51,
    (d) => `There is no ${d.kind} named '${d.name}' in the product '${d.product}'.`,
  ),
  productPartInactive: entry<{ kind: string; name: string; product: string }>(
    51,
    (d) => `The ${d.kind} '${d.name}' of the product '${d.product}' is not active.`,
  ),
  componentUnknown: entry<{ id: string }>(
    51,
    (d) => `There is no component with the ID '${d.id}'.`,
  ),
  groupControlInvalid: entry<Field & { reason: string }>(51, (d) => `'${d.field}' ${d.reason}.`),
  statusUnknown: entry<{ name: string; hint: string }>(
    51,
    (d) => `There is no status named '${d.name}'.${d.hint}`,
  ),
  resolutionUnknown: entry<{ name: string }>(
    51,
    (d) => `There is no resolution named '${d.name}'.`,
  ),
  keywordUnknown: entry<{ name: string }>(51, (d) => `There is no keyword named '${d.name}'.`),
  apiKeyUnknown: entry<{ id: string }>(51, (d) => `There is no API key with the ID '${d.id}'.`),
  reminderUnknown: entry<{ id: string }>(51, (d) => `You have no reminder with the ID '${d.id}'.`),
  classificationUnknown: entry<{ name: string }>(
    51,
    (d) => `There is no classification named '${d.name}'.`,
  ),
  groupUnknown: entry<{ group: string }>(51, (d) => `There is no group '${d.group}'.`),
  fieldUnknown: entry<Field>(51, (d) => `There is no field '${d.field}'.`),
  fieldValueUnknown: entry<Value>(
    51,
    (d) => `The field '${d.field}' has no value named '${d.value}'.`,
  ),

  // bugs
  bugAliasUnknown: entry<{ given: string }>(
    100,
    (d) => `'${d.given}' is neither the ID nor the alias of a bug.`,
  ),
  bugIdUnknown: entry<{ id: string }>(101, (d) => `There is no bug with the ID ${d.id}.`),
  bugNotVisible: entry<{ given: string; anonymous: boolean }>(
    102,
    (d) =>
      `You are not allowed to see bug ${d.given}.${d.anonymous ? ' Signing in may help.' : ''}`,
  ),
  aliasInvalid: entry<{ alias: string; reason: string }>(
    103,
    (d) => `The alias '${d.alias}' ${d.reason}.`,
  ),
  bugChanged: entry(
    32000,
    'The bug is no longer what the tag in If-Match stands for; read it again.',
    412,
  ),
  selectValueUnknown: entry<Value>(
    104,
    (d) => `'${d.value}' is not a value of the field '${d.field}'.`,
  ),
  textTooLong: entry<Field & { length: number; most: number }>(
    104,
    (d) => `The field '${d.field}' has ${d.length} characters; it may have ${d.most}.`,
  ),
  componentMissing: entry(105, 'A component is required.'),
  componentNameTooLong: entry(105, 'The name of a component may have at most 64 characters.'),
  productMissing: entry(106, 'A product is required.'),
  productDenied: entry<{ product: string }>(
    106,
    (d) => `The product '${d.product}' does not exist or you are not allowed to use it.`,
  ),
  productClosed: entry<{ product: string }>(
    106,
    (d) => `The product '${d.product}' takes no new bugs.`,
  ),
  productIncomplete: entry<{ product: string; part: string }>(
    106,
    (d) => `The product '${d.product}' takes no bugs yet: it has no active ${d.part}.`,
  ),
  summaryMissing: entry(107, 'A summary is required.'),
  fieldNotSelect: entry<Field>(108, (d) => `'${d.field}' is no field with a list of values.`),
  productEditDenied: entry<{ product: string }>(
    109,
    (d) => `You are not allowed to edit bugs of the product '${d.product}'.`,
  ),
  urlInvalid: entry<Value>(
    112,
    (d) => `'${d.value}' is not an address that '${d.field}' can hold.`,
  ),
  privacyDenied: entry(113, 'Only members of the insider group may make comments private.'),
  changeDenied: entry<{ field: string; from: string; to: string; who: string }>(
    115,
    (d) =>
      `You are not allowed to change '${d.field}' from '${d.from}' to '${d.to}'; ${d.who} may.`,
  ),
  // without the bug, because the loop may lead through hidden ones
  dependencyLoop: entry<Field>(116, (d) => `'${d.field}' would lead from a bug back to itself.`),
  relationsTooMany: entry<Field>(
    32000,
    (d) => `'${d.field}' links too many bugs to be checked at once; change fewer at a time.`,
  ),
  groupDenied: entry<{ group: string; product: string }>(
    120,
    (d) =>
      `The group '${d.group}' does not exist or is not allowed for you in the product '${d.product}'.`,
  ),
  resolutionMissing: entry<{ status: string }>(
    121,
    (d) => `A bug with the status '${d.status}' needs a resolution.`,
  ),
  resolutionNotAllowed: entry<{ resolution: string }>(
    122,
    (d) => `The resolution '${d.resolution}' cannot be set on an open bug.`,
  ),
  statusMoveDenied: entry<{ from: string; to: string; who: string }>(
    123,
    (d) => `You are not allowed to change the status from '${d.from}' to '${d.to}'; ${d.who} may.`,
  ),
  statusNotReachable: entry<{ from: string; to: string; following: string }>(
    123,
    (d) =>
      `The status cannot change from '${d.from}' to '${d.to}'. From '${d.from}' it can change to: ${d.following}.`,
  ),
  statusNotInitial: entry<{ status: string; initial: string }>(
    123,
    (d) => `A new bug cannot start with the status '${d.status}'. It can start with: ${d.initial}.`,
  ),
  duplicateLoop: entry<{ bug: string; original: string }>(
    118,
    (d) => `Bug ${d.bug} cannot be a duplicate of bug ${d.original}, which leads back to it.`,
  ),
  duplicatesAtOnce: entry(
    32000,
    "Several bugs cannot be given one 'dupe_of'; change one at a time.",
  ),
  duplicateNeedsTarget: entry(119, "A duplicate needs the parameter 'dupe_of'."),
  bugTypeRequired: entry<{ types: string }>(
    135,
    (d) => `A bug type is required, one of: ${d.types}.`,
  ),
  userNotAllowedHere: entry<{ field: string; login: string }>(
    504,
    (d) => `The field '${d.field}' names the user '${d.login}', who does not exist.`,
  ),
  notInvolved: entry<{ bug: number }>(1300, (d) => `You are not involved with bug ${d.bug}.`),

  // flags
  flagStatusInvalid: entry<{ flag: string; status: string }>(
    129,
    (d) => `'${d.status}' is not a status of the flag '${d.flag}'.`,
  ),
  flagDenied: entry<{ flag: string; status: string }>(
    130,
    (d) => `You are not allowed to set the flag '${d.flag}' to '${d.status}'.`,
  ),
  flagNotRequestable: entry<{ flag: string }>(
    131,
    (d) => `The flag '${d.flag}' cannot be requested from a specific person.`,
  ),
  flagNotUnique: entry<{ flag: string }>(
    132,
    (d) => `There are several flags '${d.flag}' here; give the ID of one.`,
  ),
  flagTypeNotUnique: entry<{ flag: string }>(
    133,
    (d) => `There are several flag types '${d.flag}' here; give the ID of one.`,
  ),
  flagTypeInactive: entry<{ flag: string }>(134, (d) => `The flag type '${d.flag}' is not active.`),
  flagUnnamed: entry(50, "A flag needs one of 'id', 'type_id' and 'name'."),
  flagUnknown: entry<{ id: number }>(51, (d) => `There is no flag with the ID ${d.id} here.`),
  flagTypeUnknown: entry<{ flag: string }>(51, (d) => `There is no flag type '${d.flag}' here.`),
  flagTaken: entry<{ flag: string }>(
    32000,
    (d) => `The flag '${d.flag}' is set already; there can be only one.`,
  ),
  idMalformed: entry<Value>(32000, (d) => `'${d.value}' in '${d.field}' is not an ID.`),
  requesteeNotAllowed: entry<{ flag: string; login: string; reason: string }>(
    32000,
    (d) => `The flag '${d.flag}' cannot be asked of '${d.login}': ${d.reason}.`,
  ),

  // comments
  commentUnknown: entry<{ id: string }>(111, (d) => `There is no comment with the ID '${d.id}'.`),
  commentNotOnBug: entry<{ id: string }>(
    117,
    (d) => `'comment_is_private' names ${d.id}, which is no comment of this bug.`,
  ),
  commentPrivate: entry<{ id: string }>(110, (d) => `Comment ${d.id} is private.`),
  commentBodyMissing: entry(50, "A comment needs its text in 'body' or 'comment'."),
  commentTooLong: entry<{ most: number }>(
    114,
    (d) => `A comment may have at most ${d.most} characters.`,
  ),
  commentRequired: entry<{ status: string }>(
    32000,
    (d) => `Changing the status to '${d.status}' needs a comment.`,
  ),
  commentTagsDisabled: entry(125, 'Comment tagging is switched off.'),
  commentTagInvalid: entry<{ tag: string }>(126, (d) => `'${d.tag}' is no tag for a comment.`),
  commentTagTooShort: entry<{ tag: string; least: number }>(
    127,
    (d) => `The comment tag '${d.tag}' is too short; it needs ${d.least} characters.`,
  ),
  commentTagTooLong: entry<{ tag: string; most: number }>(
    128,
    (d) => `The comment tag '${d.tag}' is too long; it may have ${d.most} characters.`,
  ),
  markdownDisabled: entry(140, 'Markdown is switched off.'),

  // attachments
  attachmentPrivacyDenied: entry(
    113,
    'Only members of the insider group may change whether an attachment is private.',
  ),
  attachmentPrivate: entry<{ id: number }>(304, (d) => `Attachment ${d.id} is private.`),
  attachmentUnknown: entry<{ id: number }>(
    32000,
    (d) => `There is no attachment with the ID ${d.id}.`,
  ),
  attachmentEditDenied: entry<{ id: number }>(
    109,
    (d) => `You are not allowed to change attachment ${d.id}.`,
  ),
  attachmentTooLarge: entry<{ kb: number; mostKb: number }>(
    600,
    (d) => `The attachment is too large: it has ${d.kb} KB and may have ${d.mostKb} KB.`,
  ),
  mimeTypeInvalid: entry<{ type: string }>(601, (d) => `'${d.type}' is no MIME type.`),
  attachmentLost: entry<{ id: number }>(
    -32000,
    (d) => `The bytes of attachment ${d.id} are lost; everything else of it can still be read.`,
  ),
  fileNameMissing: entry(603, 'An attachment needs a file name.'),
  attachmentSummaryMissing: entry(604, 'An attachment needs a summary.'),
  attachmentEmpty: entry(606, 'The attachment is empty.'),

  ...administrationFaults,
  ...rpcFaults,

  ...searchFaults,
  ...codehostFaults,
  ...protocolFaults,
} as const
