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
import { aValue, list, ofProduct, own, type Part, part, refer } from './part.ts'

/** Everything that bugs refer to, in the order in which one part needs the other. */
export const STRUCTURE: readonly Part[] = [
  part(
    'groups',
    'Groups. Those of the system have a role, and rights depend on it.',
    groups,
    {
      ...own(groups, 'name', 'description', 'isBugGroup', 'isActive', 'userRegexp', 'iconUrl'),
      ...own(groups, 'role'),
      creation_time: groups.createdAt,
    },
    { distinct: [['name'], ['role']] },
  ),
  part(
    'group_grants',
    'What a group gives to the members of other groups: its membership, the right to bless it, or to see it.',
    groups,
    {},
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
      name: users.login,
      ...own(users, 'realName', 'nick', 'loginDeniedText', 'emailEnabled', 'ldapEmail'),
      ...own(users, 'passwordChangeRequired'),
      creation_time: users.createdAt,
      last_seen: users.lastSeenAt,
      last_activity: users.lastActivityAt,
      password_hash: { column: users.passwordHash, isCredential: true },
    },
    {
      distinct: [['name'], ['nick']],
      lists: [
        list('groups', groupMembers, groupMembers.userId, refer('group', groupMembers.groupId), {
          fixed: { source: 'direct' },
        }),
        list('blesses', groupBlessers, groupBlessers.userId, refer('group', groupBlessers.groupId)),
        list(
          'mail_preferences',
          mailPreferences,
          mailPreferences.userId,
          own(mailPreferences, 'role', 'event', 'wanted'),
          { order: [mailPreferences.role, mailPreferences.event] },
        ),
      ],
    },
  ),
  part(
    'classifications',
    'Classifications of products.',
    classifications,
    own(classifications, 'name', 'description', 'sortKey'),
    { distinct: [['name']] },
  ),
  part(
    'fields',
    'Fields of bugs, built in and custom.',
    fields,
    {
      ...own(fields, 'name', 'displayName', 'type', 'isCustom', 'isMandatory', 'isOnBugEntry'),
      ...own(fields, 'isObsolete', 'sortKey'),
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
      field: refer('field', fieldValues.fieldId),
      ...own(fieldValues, 'name', 'description', 'sortKey', 'isActive', 'isOpen'),
    },
    { distinct: [['field', 'name']] },
  ),
  part(
    'status_transitions',
    'The workflow: a move from one status to another; without `from`, a status of new bugs.',
    statusTransitions,
    {
      from: aValue('bug_status', statusTransitions.fromId),
      to: aValue('bug_status', statusTransitions.toId),
      comment_required: statusTransitions.commentRequired,
    },
    { distinct: [['from', 'to']] },
  ),
  part('keywords', 'Keywords.', keywords, own(keywords, 'name', 'description', 'isActive'), {
    distinct: [['name']],
  }),
  part(
    'products',
    'Products with their group controls.',
    products,
    {
      name: products.name,
      classification: refer('classification', products.classificationId),
      ...own(products, 'description', 'isActive', 'hasUnconfirmed'),
      default_bug_type: aValue('bug_type', products.defaultTypeId),
      creation_time: products.createdAt,
    },
    {
      distinct: [['name']],
      lists: [
        list('group_controls', groupControls, groupControls.productId, {
          group: refer('group', groupControls.groupId),
          entry: groupControls.entry,
          canedit: groupControls.canEdit,
          editcomponents: groupControls.editComponents,
          editbugs: groupControls.editBugs,
          canconfirm: groupControls.canConfirm,
          membercontrol: groupControls.memberControl,
          othercontrol: groupControls.otherControl,
        }),
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
      product: refer('product', components.productId),
      ...own(components, 'name', 'description', 'isActive', 'sortKey'),
      default_bug_type: aValue('bug_type', components.defaultTypeId),
      default_assigned_to: refer('person', components.defaultAssigneeId),
      default_qa_contact: refer('person', components.defaultQaContactId),
      triage_owner: refer('person', components.triageOwnerId),
      ...own(components, 'teamName', 'bugDescriptionTemplate'),
    },
    {
      distinct: [['product', 'name']],
      lists: [
        list(
          'default_cc',
          componentCc,
          componentCc.componentId,
          refer('person', componentCc.userId),
        ),
      ],
    },
  ),
  part(
    'field_conditions',
    'The field on which another one depends, and under which of its values that one is shown.',
    fields,
    {
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
        ),
      ],
    },
  ),
  part(
    'value_conditions',
    'Under which values of the controlling field a value is offered.',
    fieldValues,
    {},
    {
      isAddition: true,
      lists: [
        list(
          'visibility_values',
          valueVisibility,
          valueVisibility.valueId,
          valueVisibility.controllingId,
        ),
      ],
    },
  ),
  part(
    'flag_types',
    'Flag types, and where they apply.',
    flagTypes,
    {
      ...own(flagTypes, 'name', 'description'),
      target_type: flagTypes.target,
      ...own(flagTypes, 'ccList', 'sortKey', 'isActive', 'isRequestable', 'isRequesteeble'),
      ...own(flagTypes, 'isMultiplicable'),
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
      product: refer('product', table.productId),
      ...own(table, 'name', 'sortKey', 'isActive', 'isDefault'),
    },
    { distinct: [['product', 'name']] },
  )
}
