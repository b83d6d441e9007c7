import {
  fields,
  fieldValues,
  fieldVisibility,
  keywords,
  statusTransitions,
  valueVisibility,
} from '../../platform/db/schema/fields.ts'
import { flagTypeScopes, flagTypes } from '../../platform/db/schema/flags.ts'
import {
  groupBlessers,
  groupGrants,
  groupMembers,
  groups,
} from '../../platform/db/schema/groups.ts'
import {
  classifications,
  componentCc,
  components,
  groupControls,
  milestones,
  products,
  versions,
} from '../../platform/db/schema/products.ts'
import { mailPreferences, users } from '../../platform/db/schema/users.ts'
import { aValue, list, ofProduct, type Part, part, refer } from './part.ts'

/** Everything that bugs refer to, in the order in which one part needs the other. */
export const STRUCTURE: readonly Part[] = [
  part(
    'groups',
    'Groups. Those of the system have a role, and rights depend on it.',
    groups,
    {
      id: groups.id,
      name: groups.name,
      description: groups.description,
      is_bug_group: groups.isBugGroup,
      is_active: groups.isActive,
      user_regexp: groups.userRegexp,
      icon_url: groups.iconUrl,
      role: groups.role,
      creation_time: groups.createdAt,
    },
    { distinct: [['name'], ['role']] },
  ),
  part(
    'group_grants',
    'What a group gives to the members of other groups: its membership, the right to bless it, or to see it.',
    groups,
    { id: groups.id },
    {
      isAddition: true,
      lists: [
        list(
          'grants',
          groupGrants,
          groupGrants.grantingGroupId,
          { group: refer('group', groupGrants.memberGroupId), kind: groupGrants.kind },
          { order: [groupGrants.memberGroupId, groupGrants.kind] },
        ),
      ],
    },
  ),
  part(
    'users',
    'Accounts with the groups that they were put into by hand; membership by pattern and inherited follows.',
    users,
    {
      id: users.id,
      name: users.login,
      real_name: users.realName,
      nick: users.nick,
      login_denied_text: users.loginDeniedText,
      email_enabled: users.emailEnabled,
      ldap_email: users.ldapEmail,
      password_change_required: users.passwordChangeRequired,
      creation_time: users.createdAt,
      last_seen: users.lastSeenAt,
      last_activity: users.lastActivityAt,
      password_hash: { column: users.passwordHash, isCredential: true },
    },
    {
      distinct: [['name'], ['nick']],
      lists: [
        list('groups', groupMembers, groupMembers.userId, refer('group', groupMembers.groupId), {
          order: [groupMembers.groupId],
          fixed: { source: 'direct' },
        }),
        list(
          'blesses',
          groupBlessers,
          groupBlessers.userId,
          refer('group', groupBlessers.groupId),
          { order: [groupBlessers.groupId] },
        ),
        list(
          'mail_preferences',
          mailPreferences,
          mailPreferences.userId,
          {
            role: mailPreferences.role,
            event: mailPreferences.event,
            wanted: mailPreferences.wanted,
          },
          { order: [mailPreferences.role, mailPreferences.event] },
        ),
      ],
    },
  ),
  part(
    'classifications',
    'Classifications of products.',
    classifications,
    {
      id: classifications.id,
      name: classifications.name,
      description: classifications.description,
      sort_key: classifications.sortKey,
    },
    { distinct: [['name']] },
  ),
  part(
    'fields',
    'Fields of bugs, built in and custom.',
    fields,
    {
      id: fields.id,
      name: fields.name,
      display_name: fields.displayName,
      type: fields.type,
      is_custom: fields.isCustom,
      is_mandatory: fields.isMandatory,
      is_on_bug_entry: fields.isOnBugEntry,
      is_obsolete: fields.isObsolete,
      sort_key: fields.sortKey,
    },
    {
      distinct: [['name']],
      leftOut: {
        visibilityFieldId: 'in `field_conditions`',
        valueFieldId: 'in `field_conditions`',
      },
    },
  ),
  part(
    'field_values',
    'Values of select fields, statuses and resolutions among them.',
    fieldValues,
    {
      id: fieldValues.id,
      field: refer('field', fieldValues.fieldId),
      name: fieldValues.name,
      description: fieldValues.description,
      sort_key: fieldValues.sortKey,
      is_active: fieldValues.isActive,
      is_open: fieldValues.isOpen,
    },
    { distinct: [['field', 'name']] },
  ),
  part(
    'status_transitions',
    'The workflow: a move from one status to another; without `from`, a status of new bugs.',
    statusTransitions,
    {
      id: statusTransitions.id,
      from: aValue('bug_status', statusTransitions.fromId),
      to: aValue('bug_status', statusTransitions.toId),
      comment_required: statusTransitions.commentRequired,
    },
    { distinct: [['from', 'to']] },
  ),
  part(
    'keywords',
    'Keywords.',
    keywords,
    {
      id: keywords.id,
      name: keywords.name,
      description: keywords.description,
      is_active: keywords.isActive,
    },
    { distinct: [['name']] },
  ),
  part(
    'products',
    'Products with their group controls.',
    products,
    {
      id: products.id,
      name: products.name,
      classification: refer('classification', products.classificationId),
      description: products.description,
      is_active: products.isActive,
      has_unconfirmed: products.hasUnconfirmed,
      default_bug_type: aValue('bug_type', products.defaultTypeId),
      creation_time: products.createdAt,
    },
    {
      distinct: [['name']],
      lists: [
        list(
          'group_controls',
          groupControls,
          groupControls.productId,
          {
            group: refer('group', groupControls.groupId),
            entry: groupControls.entry,
            canedit: groupControls.canEdit,
            editcomponents: groupControls.editComponents,
            editbugs: groupControls.editBugs,
            canconfirm: groupControls.canConfirm,
            membercontrol: groupControls.memberControl,
            othercontrol: groupControls.otherControl,
          },
          { order: [groupControls.groupId] },
        ),
      ],
    },
  ),
  partOfProduct('versions', 'Versions of products.', versions),
  partOfProduct('milestones', 'Milestones of products.', milestones),
  part(
    'components',
    'Components of products.',
    components,
    {
      id: components.id,
      product: refer('product', components.productId),
      name: components.name,
      description: components.description,
      is_active: components.isActive,
      sort_key: components.sortKey,
      default_bug_type: aValue('bug_type', components.defaultTypeId),
      default_assigned_to: refer('person', components.defaultAssigneeId),
      default_qa_contact: refer('person', components.defaultQaContactId),
      triage_owner: refer('person', components.triageOwnerId),
      team_name: components.teamName,
      bug_description_template: components.bugDescriptionTemplate,
    },
    {
      distinct: [['product', 'name']],
      lists: [
        list(
          'default_cc',
          componentCc,
          componentCc.componentId,
          refer('person', componentCc.userId),
          {
            order: [componentCc.userId],
          },
        ),
      ],
    },
  ),
  part(
    'field_conditions',
    'The field on which another one depends, and under which of its values that one is shown.',
    fields,
    {
      id: fields.id,
      visibility_field: refer('field', fields.visibilityFieldId),
      value_field: refer('field', fields.valueFieldId),
    },
    {
      isAddition: true,
      lists: [
        list(
          'visibility_values',
          fieldVisibility,
          fieldVisibility.fieldId,
          fieldVisibility.controllingId,
          { order: [fieldVisibility.controllingId] },
        ),
      ],
    },
  ),
  part(
    'value_conditions',
    'Under which values of the controlling field a value is offered.',
    fieldValues,
    { id: fieldValues.id },
    {
      isAddition: true,
      lists: [
        list(
          'visibility_values',
          valueVisibility,
          valueVisibility.valueId,
          valueVisibility.controllingId,
          { order: [valueVisibility.controllingId] },
        ),
      ],
    },
  ),
  part(
    'flag_types',
    'Flag types, and where they apply.',
    flagTypes,
    {
      id: flagTypes.id,
      name: flagTypes.name,
      description: flagTypes.description,
      target_type: flagTypes.target,
      cc_list: flagTypes.ccList,
      sort_key: flagTypes.sortKey,
      is_active: flagTypes.isActive,
      is_requestable: flagTypes.isRequestable,
      is_requesteeble: flagTypes.isRequesteeble,
      is_multiplicable: flagTypes.isMultiplicable,
      grant_group: refer('group', flagTypes.grantGroupId),
      request_group: refer('group', flagTypes.requestGroupId),
    },
    {
      lists: [
        list(
          'scopes',
          flagTypeScopes,
          flagTypeScopes.flagTypeId,
          {
            is_exclusion: flagTypeScopes.isExclusion,
            product: refer('product', flagTypeScopes.productId),
            component: ofProduct('component', flagTypeScopes.componentId),
          },
          { order: [flagTypeScopes.id] },
        ),
      ],
    },
  ),
]

function partOfProduct(
  name: string,
  summary: string,
  table: typeof versions | typeof milestones,
): Part {
  return part(
    name,
    summary,
    table,
    {
      id: table.id,
      product: refer('product', table.productId),
      name: table.name,
      sort_key: table.sortKey,
      is_active: table.isActive,
      is_default: table.isDefault,
    },
    { distinct: [['product', 'name']] },
  )
}
